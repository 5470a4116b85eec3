// The search: on its page a list of sections, with the line that has the words; on any other page these words, marked.
// A page that is opened from a file may load a script, but read nothing: so the index is one, loaded by the search only.

"use strict";

const MOST = 40; // results that are shown
const BEFORE = 90; // letters of a line before the first word found
const LINE = 200; // and in all
const SMALL = new Set("a an and are can do does find how i in is it me my of or the to what where which who why you".split(" "));

/** A question's words, without small ones unless there are no others; each finds its plural, too. */
function wordsOf(question) {
    const words = question.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
    const telling = words.filter(word => !SMALL.has(word));
    return (telling.length ? telling : words).map(word => word.length > 4 ? word.replace(/(?<!s)s$/, "") : word);
}

/** A pattern for the beginnings of words; a word of one or two letters is found only as a whole. */
function patternOf(words) {
    const parts = words.map(word => word.length < 3 ? `${word}(?![\\p{L}\\p{N}])` : word);
    return new RegExp(`(?<![\\p{L}\\p{N}])(?:${parts.join("|")})`, "giu");
}

const count = (word, text) => text.match(patternOf([word]))?.length ?? 0;
const rate = (words, text) => words.filter(word => count(word, text)).length;
const isNamed = (words, title) => wordsOf(title).join(" ") === words.join(" ");

/** How well a section answers: a term's entry first, then titles, then where a word is explained; 0 if a word lacks. */
function score(words, [page, , title, bold, text, code]) {
    const ofTitle = page.startsWith("reference/") ? 4 : 12; // a function is named after the idea
    let sum = 0;
    for (const word of words) {
        const [inTitle, inBold, inText, inCode] = [title, bold, text, code].map(part => Math.min(3, count(word, part)));
        if (inTitle + inBold + inText + inCode === 0) return 0;
        sum += ofTitle * Math.min(1, inTitle) + 8 * Math.min(1, inBold) + inText + inCode / 10;
    }
    const isTerm = page === "terms" && rate(words, title) === words.length;
    const isExplained = bold.split(", ").some(each => isNamed(words, each));
    return sum + 20 * isTerm + 20 * isNamed(words, title) + 10 * isExplained;
}

/** The line with most of the words, text before code, cut to what stands around the first. */
function lineOf(words, [, , , , text, code]) {
    const lines = `${text}\n${code}`.split("\n");
    const rates = lines.map(line => rate(words, line));
    const line = lines[rates.indexOf(Math.max(...rates))];
    const at = Math.max(0, line.search(patternOf(words)));
    const from = at > BEFORE ? line.indexOf(" ", at - BEFORE) + 1 : 0;
    const to = line.length > from + LINE ? line.lastIndexOf(" ", from + LINE) : line.length;
    return `${from ? "… " : ""}${line.slice(from, to)}${to < line.length ? " …" : ""}`;
}

/** Text with the words in <mark>, as nodes. */
function marked(words, text) {
    const nodes = [];
    let end = 0;
    for (const match of text.matchAll(patternOf(words))) {
        const mark = document.createElement("mark");
        mark.textContent = match[0];
        nodes.push(text.slice(end, match.index), mark);
        end = match.index + match[0].length;
    }
    return [...nodes, text.slice(end)];
}

function element(name, ...inside) {
    const made = document.createElement(name);
    made.append(...inside);
    return made;
}

function show(question) {
    const words = wordsOf(question);
    const rated = words.length ? SECTIONS.map(section => [score(words, section), section]) : [];
    const found = rated.filter(([points]) => points > 0).sort(([a], [b]) => b - a).map(([, section]) => section);
    const titles = Object.fromEntries(SECTIONS.toReversed().map(([page, , title]) => [page, title])); // a page's first
    const shown = found.slice(0, MOST).map(section => {
        const [page, anchor, title] = section;
        const link = element("a", ...marked(words, title));
        link.href = `${page}.html?found=${encodeURIComponent(words.join(" "))}#${anchor}`;
        const where = titles[page] === title ? [] : [element("span", titles[page])];
        return element("li", link, ...where, element("p", ...marked(words, lineOf(words, section))));
    });
    document.getElementById("results").replaceChildren(...shown);
    const [few, sections] = [found.length > MOST ? `The best ${MOST} of ` : "", found.length === 1 ? "section" : "sections"];
    const said = found.length ? `${few}${found.length} ${sections}` : `Nothing has ${words.map(word => `“${word}”`).join(" and ")}.`;
    document.querySelector("form#search + [role=status]").textContent = words.length ? said : "";
}

/** On the search's page: answer the address, and what is typed. */
function answer(form) {
    const field = form.querySelector("input");
    const index = document.createElement("script");
    index.src = "found.js";
    index.onload = () => {
        const asked = () => {
            show(field.value);
            history.replaceState(null, "", `?q=${encodeURIComponent(field.value)}`);
        };
        field.value = new URLSearchParams(location.search).get("q") ?? "";
        field.addEventListener("input", asked);
        form.addEventListener("submit", event => { event.preventDefault(); asked(); });
        show(field.value);
    };
    document.head.append(index);
}

/** On the page of a result: mark the words in its section, and go to the line that the search showed. */
function markFound(words) {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const section = target?.closest("dl, section");
    if (!section) return;
    const texts = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
    const having = [];
    while (texts.nextNode()) if (rate(words, texts.currentNode.data)) having.push(texts.currentNode);
    for (const text of having) text.replaceWith(...marked(words, text.data));
    const blocks = [...section.querySelectorAll("p, li, td"), ...section.querySelectorAll("pre")];
    const rates = blocks.map(block => block.querySelector("mark") ? rate(words, block.textContent) : 0);
    const most = Math.max(0, ...rates);
    const line = target.matches("dt") || !most ? target : blocks[rates.indexOf(most)];
    for (let fold = line.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    line.scrollIntoView({ block: "center" });
}

document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector("form#search");
    if (form) answer(form);
});
addEventListener("load", () => { // when figures have their height
    const words = new URLSearchParams(location.search).get("found");
    if (words) markFound(wordsOf(words));
});
