# make lab opens the lessons, make test passes the tests, make help lists the rest.
#
# For GNU make 3.81 (macOS) and later; recipes are POSIX sh. On Windows without make, see INSTALL.md.

VENV  = .venv
STAMP = $(VENV)/.installed
PY    = $(VENV)/bin/python
SYSTEM := $(shell uname -sm)
# Under LC_ALL=C, Python 3.11 does not start where a package lies in a folder whose name is not ASCII.
ifneq ($(filter C POSIX,$(LC_ALL)),)
export LC_ALL =
endif

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile | expand -t 16
	@echo 'The first to run installs what it needs into $(VENV)/, with uv where there is one, else with pip.'
	@echo 'PYTHON=... names the Python to use; make lab IP=0.0.0.0 PORT=8888 is for inside a container.'

# Students install the extra lab; slides and tests have an extra and a stamp each. A stamp holds the folder that it was
# made in: a clone that was moved or renamed is installed again.
ifneq ($(shell cat $(STAMP) 2>/dev/null),$(CURDIR))
.PHONY: $(STAMP)
endif
.NOTPARALLEL:

# uv is quicker than pip, and fetches a Python where there is none; UV= on the command line does without.
UV := $(shell command -v uv 2>/dev/null)
ifneq ($(UV),)
MAKE_VENV = rm -rf $(VENV); "$(UV)" venv --quiet --seed --python "$(or $(PYTHON),>=3.11)" $(VENV)
INSTALL   = "$(UV)" pip install --python $(PY)
SHOWN     = cat
else
MAKE_VENV = for python in $(if $(PYTHON),"$(PYTHON)",python3.11 python3.12 python3.13 python3.14 python3 python); do \
	"$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && \
	"$$python" -m venv --clear $(VENV) && exit; done; $(NO_PYTHON)
INSTALL   = PYTHONUNBUFFERED=1 $(PY) -m pip --disable-pip-version-check install
# Of pip's hundreds of lines, those that tell how far it is.
SHOWN     = sed -n -e 's/^ *\(Downloading .* MB)\)/    \1/p' -e 's/^Installing collected.*/    Writing them: a minute or two/p'
endif

define NO_PYTHON
echo "bertlab needs Python 3.11 or later, with venv. On Debian and Ubuntu: sudo apt install python3 python3-venv" >&2; \
echo "Fedora: sudo dnf install python3; macOS: brew install python@3.13; all: https://www.python.org/downloads/" >&2; \
echo "If there is one elsewhere: make lab PYTHON=/path/to/python3. INSTALL.md has other ways." >&2; exit 1
endef

define install
@rm -f $@; { $(INSTALL) $(1) -c constraints.txt && pwd -P > $@; } | $(SHOWN)
@[ -f $@ ] || { echo "The installation did not finish; it says why above. The same command takes it up again." >&2; exit 1; }
endef

# PyTorch's own CPU build first: on Linux the ordinary one brings gigabytes of GPU libraries along.
$(STAMP): pyproject.toml constraints.txt
	@if [ "$(SYSTEM)" = "Darwin x86_64" ]; then \
	    echo "PyTorch has no current packages for Macs with an Intel processor on PyPI. INSTALL.md, With conda." >&2; exit 1; fi
	@echo "Installing bertlab into $(VENV)/, once: 400 MB to download, 1.7 GB on disk, some three minutes."
	@rm -f $@; $(PY) -m pip --version >/dev/null 2>&1 || { $(MAKE_VENV); }
ifneq ($(findstring Linux,$(SYSTEM)),)
	@{ PIP_RETRIES=0 PIP_TIMEOUT=15 UV_HTTP_TIMEOUT=15 $(INSTALL) --no-deps --index-url https://download.pytorch.org/whl/cpu \
	    "$$(grep '^torch==' constraints.txt)" 2>$(VENV)/cpu-index.log || \
	    echo "    PyTorch's CPU index gave none ($(VENV)/cpu-index.log): the ordinary one is asked." >&2; } | $(SHOWN)
endif
	$(call install,-e '.[lab]')
	@echo "Installed. From now on this takes seconds."

$(STAMP)-test: $(STAMP)
	@echo "Installing what the tests need beyond the lessons, once"
	$(call install,-e '.[test]')

$(STAMP)-teaching: $(STAMP) bertlab_teaching/pyproject.toml
	@echo "Installing what makes slides, the site and marks, once"
	$(call install,-e bertlab_teaching)

LAB = exec $(PY) -m bertlab lab $(if $(IP),--ip "$(IP)") $(if $(PORT),--port "$(PORT)")

lab: $(STAMP) ## open the lessons in JupyterLab, in work/, your own copy of them
	@$(LAB) $(if $(WORK),"$(WORK)")

present: $(STAMP)-teaching ## the same in teach/, a copy with the speaker notes, to run cells from beside the slides
	@$(LAB) --notes

decks: $(STAMP)-teaching ## write the lessons as slides that open in a browser without a network, anew into build/decks/
	@rm -rf build/decks
	@$(PY) -m bertlab decks build/decks

site: $(STAMP)-teaching ## write the course as a book of web pages for students, anew into build/site/
	@rm -rf build/site
	@$(PY) -m bertlab site build/site

notebooks: $(STAMP)-teaching ## run the notebooks and store their outputs
	@$(PY) -m bertlab run notebooks/*.ipynb

solved: $(STAMP)-teaching ## for instructors: all solutions on one page, build/solutions.md; the lessons solved, run, in build/solved
	@$(PY) bertlab_teaching/instructors/solutions.py build/solutions.md
	@$(PY) -m bertlab solve build/solved

guide: $(STAMP)-teaching ## write what INSTRUCTORS.md says of lessons, slides and quiz, from their files
	@$(PY) bertlab_teaching/instructors/guide.py

pictures: $(STAMP)-teaching $(STAMP)-test ## take the pictures of README.md anew; needs Chromium
	@$(PY) pictures/take.py

test: $(STAMP)-teaching $(STAMP)-test ## check the code, run lessons 1 to 6 and compare: some 4 minutes
	@$(PY) -m ruff check -q .
	@$(PY) -m ruff format -q --check .
	@$(VENV)/bin/pyrefly check --python-interpreter-path $(PY) --summary=none
	@$(PY) -m pytest -q @tests/quick.args

test-all: test test-slow ## the same, then all lessons solved and rounded otherwise, on other BERTs and in a browser

test-slow: $(STAMP)-teaching $(STAMP)-test ## the second part of that alone
	@BERTLAB_BROWSER_REQUIRED=1 $(PY) -m pytest -q -n 2 -rs --dist worksteal -m "slow or browser or hub"

pins: $(STAMP)-teaching $(STAMP)-test ## make constraints.txt, its hashes, and the files for conda and Binder anew; needs uv
	@$(PY) .ci/pins.py
	@uv pip compile --quiet --universal --python-version 3.11 --no-deps --generate-hashes --no-annotate \
	    --custom-compile-command "make pins" --output-file .ci/hashes.txt constraints.txt

clean: ## remove the virtual environment and the caches; work/ and teach/ stay
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis

.PHONY: help lab present decks site notebooks solved guide pictures test test-all test-slow pins clean
