# SPDX-License-Identifier: GPL-2.0
# `make help` lists the targets. Kbuild says what is compiled.

KERNEL ?= 6.1
T ?=

packages := make gcc gcc-12 binutils libelf1 pahole xz-utils kmod util-linux python3 perl dash \
	qemu-system-x86 busybox-static iproute2 ethtool iperf3 socat nftables sparse coccinelle libpython3-dev dkms \
	flex bison bc libelf-dev libc6-dev lz4 \
	ibverbs-utils ibverbs-providers rdmacm-utils rdma-core perftest \
	pkg-config libdpdk-dev valgrind

.PHONY: help
help:
	@echo 'rxpool: a page pool for the receive rings of NIC drivers'
	@echo
	@echo '  make demo     real mlx5 traffic, stock and on rxpool, side by side: build/demo.json'
	@echo '  make modules  the pool, its tests and the simulated NIC, in build/RELEASE/'
	@echo '  make mlx5     a converted mlx5_core.ko, in build/RELEASE/mlx5/core/'
	@echo '  make test     all tests: build/test.json. T=REGEX runs those that match'
	@echo '  make test-full  those that take longer, too: more debug kernels'
	@echo '  make check    the quick ones, within five minutes'
	@echo '  make coverage what the tests execute of the pool and of mlx5_glue, by gcov'
	@echo '  make soak     MINUTES=10 [SEED=s] of random trouble on 6.1-debug, or KERNEL=...'
	@echo '  make fuzz     MINUTES=30 of searching for calls that the pool does not stand, with libFuzzer'
	@echo '  make bench    time the pool beside the kernel own in user space: build/bench.json.'
	@echo '                QUICK=1 takes a minute, ONLY=REGEX runs the workloads that match'
	@echo '  make deps     install what is needed (the other targets do so, too)'
	@echo '  make clean    remove build/'
	@echo
	@echo 'KERNEL=6.1 (default), 6.12, either with -rt, -cloud, -debug or -kcsan, or a release.'
	@echo 'Packaged kernels are kept in $${RXPOOL_CACHE:-/var/cache/rxpool}, not installed.'

# Asks dpkg first, so that it costs nothing and needs no network when all is there.
.PHONY: deps
deps:
	@missing=; for package in $(packages); do \
		[ "$$(dpkg-query -W -f '$${db:Status-Status}' $$package 2>/dev/null)" = installed ] || \
			missing="$$missing $$package"; \
	done; \
	[ -z "$$missing" ] || { \
		echo "installing$$missing"; \
		[ "$$(id -u)" = 0 ] || { echo "please run as root: make deps"; exit 1; }; \
		apt-get update -q && DEBIAN_FRONTEND=noninteractive \
			apt-get install -q -y --no-install-recommends $$missing; \
	}

.PHONY: modules
modules: deps
	@tools/vm/modules $(KERNEL)

.PHONY: mlx5
mlx5: modules
	@tools/vm/mlx5 $(KERNEL)

.PHONY: demo
demo: deps
	@KERNEL=$(KERNEL) tools/demo/run

.PHONY: test test-full check
test: deps
	@tools/test/run $(if $(T),--only '$(T)')

test-full: deps
	@tools/test/run --full $(if $(T),--only '$(T)')

.PHONY: coverage
coverage: deps
	@tools/test/coverage

check: deps
	@tools/test/run --quick $(if $(T),--only '$(T)')

# On the debug kernel, unless another is named.
.PHONY: soak
soak: deps
	@tools/soak/run --kernel $(if $(filter file,$(origin KERNEL)),6.1-debug,$(KERNEL)) \
		$(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED)) $(if $(FROM),--from $(FROM))

# clang is large, and nothing else needs it.
.PHONY: fuzz
fuzz: packages += clang-14 libclang-rt-14-dev
fuzz: deps
	@tools/native/fuzz.py $(if $(MINUTES),--minutes $(MINUTES))

.PHONY: bench
bench: deps
	@tools/native/bench.py $(if $(QUICK),--quick) $(if $(ONLY),--only '$(ONLY)')

.PHONY: clean
clean:
	rm -rf build
