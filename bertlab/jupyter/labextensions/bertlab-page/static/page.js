/* Three additions to JupyterLab. A lesson's link to live.html opens the page in a tab of the browser: in one of its own,
   JupyterLab lets no page run. A frame with one of the page's views is as high as it says, and light or dark as
   JupyterLab is. And N hides and shows the speaker's notes, which are marked in a teacher's copy. */

const page = {
  id: "bertlab-page:open",
  autoStart: true,
  activate() {
    const keepFromJupyterLab = (event) => {
      const link = event.target.closest?.("a[href]");
      if (link && /\/files\/(.+\/)?live\.html$/.test(new URL(link.href).pathname)) event.stopPropagation();
    };
    document.addEventListener("click", keepFromJupyterLab, true); // before JupyterLab's own, which is on the body
    window.addEventListener("message", ({ data, source }) => {
      const frame = [...document.querySelectorAll("iframe.live")].find((each) => each.contentWindow === source);
      if (!frame || data?.bertlab !== "view") return;
      frame.style.height = `${data.height}px`;
      source.postMessage({ theme: document.body.dataset.jpThemeLight === "false" ? "dark" : "light" }, "*");
    });
  },
};

const STYLE = `.jp-RenderedHTMLCommon blockquote.speaker { margin: 0; padding: 0.5em 1em; font-size: 0.9em;
    border: 2px dashed var(--jp-ui-font-color2); border-left: 8px solid var(--jp-ui-font-color2); }
  .bertlab-without-notes .jp-MarkdownCell:has(blockquote.speaker) { max-height: 0; min-height: 0; margin: 0; padding: 0;
    border: 0; overflow: hidden; opacity: 0; }`; // not display: none, because one that is selected keeps the keys

const notes = {
  id: "bertlab-page:notes",
  autoStart: true,
  activate(app) {
    document.head.append(Object.assign(document.createElement("style"), { textContent: STYLE }));
    app.commands.addCommand("bertlab:notes", {
      label: "Hide or Show the Speaker's Notes",
      execute: () => document.body.classList.toggle("bertlab-without-notes"),
    });
    const selector = ".jp-Notebook.jp-mod-commandMode:not(.jp-mod-readWrite) :focus"; // as JupyterLab's own keys have it
    app.commands.addKeyBinding({ command: "bertlab:notes", keys: ["N"], selector });
  },
};

// What JupyterLab looks for once it has loaded this file: https://jupyterlab.readthedocs.io/en/stable/extension
globalThis._JUPYTERLAB ??= {};
globalThis._JUPYTERLAB["bertlab-page"] = {
  init() {},
  get: async () => () => ({ __esModule: true, default: [page, notes] }),
};
