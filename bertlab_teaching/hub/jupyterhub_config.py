"""Settings for a JupyterHub whose students have accounts on one machine; README.md says how to start it."""

c = get_config()  # noqa: F821 (JupyterHub gives it to its configuration files)

c.JupyterHub.bind_url = "http://127.0.0.1:8000"  # for a web server with a certificate in front of it
c.Authenticator.allow_all = True  # everybody with an account on this machine
c.Spawner.environment = {
    # Searched first, so that the lessons' kernel, `python3`, is that of their environment.
    "JUPYTER_PATH": "/opt/bertlab/kernel/share/jupyter",
    "OMP_NUM_THREADS": "1",
}
c.Spawner.mem_limit = "2G"  # JupyterLab's server and lesson 8, the largest, take 1.5 GiB
c.Spawner.cpu_limit = 1
c.Spawner.http_timeout = 300  # when a class starts at once, a server takes longer than the 30 seconds of the default
# A kernel whose tab is closed ends after an hour; until then it keeps its memory.
c.Spawner.args = ["--MappingKernelManager.cull_idle_timeout=3600"]
