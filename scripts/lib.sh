# lib.sh - what the other scripts share: installing packages and building. Sourced, never run.
# shellcheck shell=bash
# shellcheck disable=SC2034  # its variables are for those who source it

set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export DARNER_ROOT=$ROOT   # where topologies/ and workloads/ stand, whatever the current folder

BUILD_PACKAGES=(gcc g++ gfortran libc6-dev meson ninja-build pkg-config
                libglib2.0-dev libyaml-dev libgsl-dev libjson-glib-dev
                libglpk-dev libmetis-dev libsimgrid-dev zlib1g-dev libzstd-dev
                libopenmpi-dev openmpi-bin libmpich-dev mpich graphviz)
TEST_PACKAGES=(clang-format clang-tidy cppcheck shellcheck pyflakes3 python3-yaml python3-pandas
               python3-jsonschema libigraph-dev)
# Debian's own Python: another `python3` earlier in PATH would not have Debian's modules.
PYTHON=/usr/bin/python3
PLOT_PACKAGES=(python3-matplotlib)
BROWSER_PACKAGES=(chromium)    # looks at reports, in the tests
CLUSTER_PACKAGES=(slurmctld slurmd slurm-client)    # `scripts/test cluster`

say() { printf '%s\n' "$*" >&2; }

# need_packages NAME...: installs by apt what dpkg does not know as installed. Only a missing
# package costs more than one dpkg-query (about 20 ms), so there is no stamp that could go stale.
need_packages()
{
    local missing=() package installed
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "No apt here; Darner needs what Debian 12 calls: $*"
        return 0    # the build names what it does not find
    fi
    # Fails when a name is unknown to dpkg, which only means that it is not installed.
    # shellcheck disable=SC2016  # the format is dpkg's, not the shell's
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' "$@" 2>/dev/null || true)
    for package in "$@"; do
        grep -q "^$package ii" <<<"$installed" || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}

install_packages()
{
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "Darner needs these packages, and installing them needs root. Run as root:"
            say "    apt-get update && apt-get install -y --no-install-recommends $*"
            exit 2
        fi
        as_root=(sudo)
    fi
    say "Installing with apt: $*"
    as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0)
    shown "${as_root[@]}" update </dev/null
    shown "${as_root[@]}" install -y --no-install-recommends "$@" </dev/null
}

# build FOLDER TARGET [MESON OPTION...]: configures, then runs ninja; silent when nothing changed.
# A package that was installed after the folder was configured may be an optional dependency that
# Meson did not find then, so the folder is configured anew.
build()
{
    local dir=$1 target=$2
    shift 2
    if [ ! -f "$dir/build.ninja" ]; then
        say "Configuring ${dir#"$ROOT"/}/"
        shown meson setup "$dir" "$ROOT" "$@"
    elif [ /var/lib/dpkg/status -nt "$dir/build.ninja" ]; then
        say "Configuring ${dir#"$ROOT"/}/ again: packages were installed since"
        shown meson setup --reconfigure "$dir" "$ROOT"
        touch "$dir/build.ninja"
    fi
    if ! ninja -C "$dir" -n "$target" | grep 'no work to do' >/dev/null; then
        say "Building in ${dir#"$ROOT"/}/"
        shown ninja -C "$dir" "$target"
    fi
}

# Runs a command with its output on standard error: live on a terminal, else only when it fails.
shown()
{
    local output
    if [ -t 2 ]; then
        "$@" >&2 || exit 1
    elif ! output=$("$@" 2>&1); then
        say "$output"
        exit 1
    fi
}

# The program that people run, with the recorders of MPI programs: -O3, assertions kept. Its unit
# tests are not built.
build_release()
{
    need_packages "${BUILD_PACKAGES[@]}"
    build "$ROOT/build" program --buildtype=release
    DARNER=$ROOT/build/src/darner
}
