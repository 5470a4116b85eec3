/* A lesson's link to live.html opens the page in a tab of the browser: in one of its own, JupyterLab lets no page run.
   A frame with one of the page's views is as high as it says, and light or dark as JupyterLab is. */

const extension = {
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

// What JupyterLab looks for once it has loaded this file: https://jupyterlab.readthedocs.io/en/stable/extension
globalThis._JUPYTERLAB ??= {};
globalThis._JUPYTERLAB["bertlab-page"] = { init() {}, get: async () => () => ({ __esModule: true, default: extension }) };
