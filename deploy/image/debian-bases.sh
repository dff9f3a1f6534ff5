#!/usr/bin/env bash
# Makes both bases of the image from Debian packages, for a machine that reaches a Debian mirror and npm but no registry:
# localhost/tern-build with Node and npm, and localhost/tern-base with glibc, libstdc++ and CA certificates alone.
# Needs root, buildah and debootstrap, and installed packages of this project.
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=${SUITE:-bookworm}
mirror=${MIRROR:-http://deb.debian.org/debian}
node=$(readlink -f node_modules/.bin/node)
npm=${NPM:-$(readlink -f "$(dirname "$(readlink -f "$(command -v npm)")")/..")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

import_image() { # FOLDER NAME
  local container
  container=$(buildah from scratch)
  buildah add -q "$container" "$1" / >/dev/null
  buildah commit -q "$container" "$2"
  buildah rm "$container" >/dev/null
}

debootstrap --variant=minbase --include=binutils,ca-certificates "$suite" "$work/build" "$mirror" >"$work/log" ||
  { tail "$work/log"; exit 1; }
rm -rf "$work"/build/var/cache/apt/archives/*.deb "$work"/build/var/lib/apt/lists/*
install -m 755 "$node" "$work/build/usr/local/bin/node"
mkdir -p "$work/build/usr/local/lib/node_modules"
cp -a "$npm" "$work/build/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/build/usr/local/bin/npm"
import_image "$work/build" localhost/tern-build

mkdir "$work/base" "$work/packages"
chmod 755 "$work/base"
packages=(base-files libc6 libgcc-s1 libstdc++6 ca-certificates)
chroot "$work/build" sh -c "apt-get update -qq && cd /tmp && apt-get download -qq ${packages[*]}" 2>>"$work/log"
for package in "$work"/build/tmp/*.deb; do dpkg-deb -x "$package" "$work/base"; done
mkdir -p "$work/base/etc/ssl/certs" "$work/base/tmp"
chmod 1777 "$work/base/tmp"
cat "$work"/base/usr/share/ca-certificates/mozilla/*.crt >"$work/base/etc/ssl/certs/ca-certificates.crt"
# Copyright files stay; manuals and translations do not.
rm -rf "$work"/base/usr/share/{man,locale,lintian,info} "$work"/base/usr/lib/x86_64-linux-gnu/gconv
find "$work/base/usr/share/doc" -type f ! -name copyright -delete
import_image "$work/base" localhost/tern-base
echo 'localhost/tern-build and localhost/tern-base are ready.'
