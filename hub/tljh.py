"""Settings for The Littlest JupyterHub, and for any hub whose students share one machine.

The lessons are installed into /opt/bertlab, apart from the hub and its JupyterLab. README.md beside this file says how.
"""

c = get_config()  # noqa: F821 (JupyterHub gives it to its configuration files)

c.Spawner.environment = {
    # Looked through first, so that `python3`, which the lessons name, is the kernel of their environment.
    "JUPYTER_PATH": "/opt/bertlab/kernel/share/jupyter",
    "OMP_NUM_THREADS": "1",
}
c.Spawner.mem_limit = "2G"  # JupyterLab's server and lesson 8, the largest, take 1.5 GiB
c.Spawner.cpu_limit = 1
c.Spawner.http_timeout = 300  # when a class starts at once, a server takes longer than the 30 seconds of the default
# A kernel whose tab is closed ends after an hour; until then its memory is taken.
c.Spawner.args = ["--MappingKernelManager.cull_idle_timeout=3600"]
