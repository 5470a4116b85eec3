// Guesses: a button or a field is compared with the answer, and the answer unfolds below the cell that computes it.

"use strict";

function verdict(guess, answer) {
    const [guessed, right] = [Number(guess), Number(answer)];
    if (guess.trim().toLowerCase() === answer.toLowerCase() || guessed === right) return "Right.";
    if (Math.abs(guessed - right) <= Math.abs(right) / 10) return `Near enough: you guessed ${guess}, and it is ${answer}.`;
    return `Not so: you guessed ${guess}.`;
}

function reveal(form, guess) {
    form.querySelector("[role=status]").textContent = `${verdict(guess, form.dataset.answer)} The answer is unfolded below.`;
    document.getElementById(form.dataset.reveals).open = true;
}

// A link into a folded part unfolds it.
function unfold() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target?.scrollIntoView();
}

// A figure opens in its full size, in which its letters can be read on a phone, too; without this its link leads there.
function enlarge(link) {
    const [small, large] = [link.querySelector("img"), new Image()];
    large.src = link.href;
    large.alt = small.alt;
    large.style.width = `max(${small.getAttribute("width") ?? 0}px, min(${small.naturalWidth}px, 100%))`;
    const [dialog, close, frame] = ["dialog", "button", "div"].map(name => document.createElement(name));
    dialog.className = "enlarged";
    dialog.setAttribute("aria-label", "The figure in full size");
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    frame.tabIndex = 0; // the keys scroll it
    frame.append(large);
    dialog.append(close, frame);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}

// Views of the live page load when they come into sight, one after another, are as high as they say, and light or dark.

const waiting = [];
let loading = null;

function loadNext() {
    loading ??= waiting.shift() ?? null;
    if (loading && !loading.src) loading.src = loading.dataset.src;
}

function tellTheme(view) {
    view.postMessage({ theme: document.documentElement.dataset.theme }, "*");
}

function watchViews() {
    const frames = [...document.querySelectorAll("iframe.live")];
    const watcher = new IntersectionObserver(seen => {
        for (const { isIntersecting, target } of seen) {
            if (!isIntersecting) continue;
            watcher.unobserve(target);
            waiting.push(target);
        }
        loadNext();
    });
    for (const frame of frames) watcher.observe(frame);
    window.addEventListener("message", ({ data, source }) => {
        const frame = frames.find(each => each.contentWindow === source);
        if (!frame || data?.bertlab !== "view") return;
        frame.style.height = `${data.height}px`;
        tellTheme(source);
        if (!data.ready || frame !== loading) return;
        loading = null;
        loadNext();
    });
    const turned = new MutationObserver(() => frames.forEach(frame => tellTheme(frame.contentWindow)));
    turned.observe(document.documentElement, { attributeFilter: ["data-theme"] });
}

document.addEventListener("DOMContentLoaded", () => {
    watchViews();
    for (const link of document.querySelectorAll("a.image-reference")) {
        link.addEventListener("click", event => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return; // opens it elsewhere
            event.preventDefault();
            enlarge(link);
        });
    }
    for (const form of document.querySelectorAll("form.guess")) {
        form.addEventListener("submit", event => {
            event.preventDefault();
            reveal(form, form.querySelector("input").value);
        });
        const buttons = form.querySelectorAll("button[type=button]");
        for (const button of buttons) {
            button.addEventListener("click", () => {
                for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
                reveal(form, button.textContent);
            });
        }
    }
    // A head of a table that Markdown could not leave out.
    for (const head of document.querySelectorAll("thead")) if (!head.textContent.trim()) head.remove();
    if (location.hash) unfold();
});
window.addEventListener("hashchange", unfold);
