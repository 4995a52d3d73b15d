# SPDX-License-Identifier: BSD-3-Clause
# The front door. Each target is one script of tools/; on a machine with nothing but git, make and a shell it first
# installs what is missing (tools/dependencies says what).
.DEFAULT_GOAL := build
MPI ?= openmpi
PREFIX ?= /usr/local
DESTDIR ?=
.PHONY: build demo install package test test-ci test-all bench format lint clean help

build: ## build the libraries, the command and the mini-apps into build/
	@tools/build

demo: ## see a coupled program finish faster (MPI=openmpi, the default, or MPI=mpich)
	@tools/demo $(MPI)

install: ## install what was built (PREFIX=/usr/local, the default, DESTDIR=)
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' tools/install

package: ## make Debian packages into build-package/packages
	@tools/package

test: ## build and run the tests: 20 to 40 minutes on two cores (goal: 20)
	@tools/test

test-ci: ## the tests under sanitizers, the format, clang-tidy: some 45 minutes on two cores
	@tools/test-ci

test-all: ## every test, the long ones too
	@tools/test all

bench: ## what resting ranks cost, and each call, beside references (comity bench has more)
	@tools/bench

format: ## put every C and C++ file into the house format
	@tools/format apply

lint: ## check format, layers and clang-tidy (src, apps, bench), change nothing
	@tools/format check
	@tools/layers
	@tools/tidy full

clean: ## remove the build folders
	rm -rf build build-asan build-tsan build-tidy build-dev build-package

help: ## show this list
	@echo "make [target], from a fresh clone:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{ printf "%-12s %s\n", $$1, $$2 }'
