# make lab opens the lessons, make test passes the tests, make help lists the rest.
#
# For GNU make 3.81 (macOS) and later; recipes are POSIX sh. On Windows without make, see README.md.

VENV   = .venv
STAMP  = $(VENV)/.installed
PY     = "$(CURDIR)/$(VENV)/bin/python"
PYTHON ?=
WORK   ?= work
TEACH  ?= teach
DECKS  ?= build/decks
IP     ?= 127.0.0.1
PORT   ?= 8888
LESSON = 01_embedding_layer.ipynb

SYSTEM := $(shell uname -s)
CPU    := $(shell uname -m)
ROOT   := $(filter 0,$(shell id -u))

help:
	@echo 'make lab        open the lessons in JupyterLab, in work/, your own copy of them'
	@echo '                (make lab IP=0.0.0.0 PORT=8888 inside a container)'
	@echo 'make present    the same in teach/, a copy with the speaker notes; in JupyterLab, Alt+R starts the slides'
	@echo 'make decks      write the lessons as slides that open in a browser without a network, into $(DECKS)/'
	@echo 'make test       check the code, run every notebook and compare: some 4 minutes'
	@echo 'make test-all   the same, then the notebooks solved, on another BERT and on other CPU kernels, slow tests, a browser'
	@echo 'make notebooks  run the notebooks and store their outputs'
	@echo 'make solved     the lessons with their exercises solved, run, in build/solved: for instructors'
	@echo 'make clean      remove the virtual environment and the caches; work/ and teach/ stay'
	@echo
	@echo 'The first of them to run installs everything into $(VENV)/. PYTHON=... names the Python to use.'

# ---------------------------------------------------------------------------------------------- installation

# The stamp holds the folder that it was made in: a clone that was moved or renamed is installed again.
ifneq ($(shell cat $(STAMP) 2>/dev/null),$(CURDIR))
.PHONY: $(STAMP)
endif

CANDIDATES = $(if $(PYTHON),"$(PYTHON)",python3.11 python3.12 python3.13 python3.14 python3 python)

define NO_PYTHON
bertlab needs Python 3.11 or later, with its modules venv and ensurepip.

  Debian, Ubuntu  sudo apt install python3 python3-venv    (Debian 12, Ubuntu 24.04 or later)
  Fedora          sudo dnf install python3
  macOS           brew install python@3.12, or the installer from https://www.python.org/downloads/
  Windows         the installer from https://www.python.org/downloads/; README.md has the steps without make
  conda           conda env create -f environment.yml; README.md has the steps that follow

If there is one already, name it: make lab PYTHON=/path/to/python3.11
endef
export NO_PYTHON

define INTEL_MAC
PyTorch publishes no current packages for Macs with an Intel processor on PyPI. Please install with conda:

  conda env create -f environment.yml
  conda activate bertlab
  python -m bertlab copy work
  cd work
  jupyter lab
endef
export INTEL_MAC

# PyTorch's own CPU build first: on Linux the ordinary one brings gigabytes of GPU libraries along.
ifeq ($(SYSTEM),Linux)
CPU_TORCH = $(PIP) install --no-deps --retries 0 --timeout 15 --index-url https://download.pytorch.org/whl/cpu \
	"$$(grep '^torch==' constraints.txt)"
else
CPU_TORCH = true
endif
PIP = PYTHONUNBUFFERED=1 $(PY) -m pip --disable-pip-version-check

$(STAMP): pyproject.toml constraints.txt
	@if [ "$(SYSTEM) $(CPU)" = "Darwin x86_64" ]; then echo "$$INTEL_MAC" >&2; exit 1; fi
	@rm -f $(STAMP); found=; seen=; \
	for python in $(CANDIDATES); do \
	    version=$$("$$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue; \
	    if ! "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
	        seen="$$seen $$python (Python $$version: too old)"; \
	    elif ! "$$python" -c 'import venv, ensurepip' 2>/dev/null; then \
	        seen="$$seen $$python (Python $$version: no venv or ensurepip)"; \
	    else found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then echo "$$NO_PYTHON" >&2; echo "Found:$${seen:- no Python}" >&2; exit 1; fi; \
	if ! $(PY) -m pip --version >/dev/null 2>&1; then \
	    echo "Making a virtual environment in $(VENV)/ with $$found (Python $$version)"; \
	    "$$found" -m venv --clear $(VENV) || exit 1; \
	fi
	@echo "Installing PyTorch, then the other packages: about 2 GB on disk, some minutes"
	@$(CPU_TORCH) 2>$(VENV)/cpu-index.log || \
	    echo "PyTorch's CPU index gave no package (see $(VENV)/cpu-index.log): going on with the ordinary index."
	@{ $(PIP) install -e '.[lab,decks,pretraining,test]' -c constraints.txt && \
	    mkdir -p $(VENV)/etc/jupyter/labconfig && \
	    echo '{"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": true}}' \
	        > $(VENV)/etc/jupyter/labconfig/page_config.json && \
	    echo "$(CURDIR)" > $(STAMP); \
	} | sed -n -e '/Downloading.* MB)/p' -e 's/^Installing collected packages.*/  Writing them into $(VENV)\/ .../p'
	@if [ -f $(STAMP) ]; then echo "Installed."; else \
	    echo "The installation did not finish; pip says why above. The same command takes it up again." >&2; exit 1; fi

# ---------------------------------------------------------------------------------------------- the lessons

# Settings, runtime files and history stay in the virtual environment; nothing goes into the home folder.
JUPYTER_HOME = JUPYTER_CONFIG_DIR="$(CURDIR)/$(VENV)/jupyter/config" JUPYTER_DATA_DIR="$(CURDIR)/$(VENV)/jupyter/data" \
	JUPYTER_RUNTIME_DIR="$(CURDIR)/$(VENV)/jupyter/runtime" IPYTHONDIR="$(CURDIR)/$(VENV)/jupyter/ipython" \
	MPLCONFIGDIR="$(CURDIR)/$(VENV)/jupyter/matplotlib"

ifeq ($(SYSTEM)$(DISPLAY)$(WAYLAND_DISPLAY),Linux)
NO_BROWSER = --no-browser
endif

lab: COPY = $(WORK)
present: COPY = $(TEACH)
present: NOTES = --notes
lab present: $(STAMP)
	@$(PY) -m bertlab copy "$(COPY)" $(NOTES)
	@$(if $(NO_BROWSER),echo "There is no display here: open the http address printed below in a browser.",true)
	@cd "$(COPY)" && exec env $(JUPYTER_HOME) $(PY) -m jupyter lab --ServerApp.ip=$(IP) --ServerApp.port=$(PORT) \
	    --LabApp.default_url=/lab/tree/$(LESSON) --LabApp.extension_manager=readonly \
	    --LanguageServerManager.autodetect=False --log-level=WARN \
	    $(NO_BROWSER) $(if $(ROOT),--allow-root)

decks: $(STAMP)
	@$(PY) -m bertlab decks "$(DECKS)"

notebooks: $(STAMP)
	@$(PY) -m bertlab run notebooks/*.ipynb

solved: $(STAMP)
	@$(PY) -m bertlab solve build/solved

# ---------------------------------------------------------------------------------------------- the tests

# The lessons are tested on the shipped model, whatever the shell has set; two workers of one thread each.
TEST_SHELL = unset HF_HUB_OFFLINE BERTLAB_MODEL; OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
PYTEST = $(PY) -m pytest -q -n 2
# A notebook's cells must stay on one worker, in their order. Of the files, those with the most tests begin.
NBVAL  = --dist loadfile --nbval --nbval-current-env --nbval-cell-timeout=600
# Results differ a little between a processor's instruction sets; x86 lets one choose among them.
KERNELS = default $(if $(filter x86_64 amd64,$(CPU)),avx2)

test: $(STAMP)
	@$(PY) -m ruff check -q .
	@$(PY) -m ruff format -q --check .
	@$(VENV)/bin/pyrefly check --python-interpreter-path $(PY) --summary=none
	@$(TEST_SHELL) $(PYTEST) $(NBVAL) -m "not slow and not browser and not hub" notebooks tests bertlab

test-all: test
	@$(TEST_SHELL) BERTLAB_BROWSER_REQUIRED=1 $(PYTEST) -rs --dist worksteal -m "slow or browser or hub"
	@for kernel in $(KERNELS); do \
	    echo "The notebooks with ATEN_CPU_CAPABILITY=$$kernel"; \
	    ( $(TEST_SHELL) ATEN_CPU_CAPABILITY=$$kernel $(PYTEST) $(NBVAL) notebooks ) || exit 1; \
	done

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
	@echo 'work/ and teach/, your copies of the lessons, were left as they are.'

.PHONY: help lab present decks test test-all notebooks solved clean
