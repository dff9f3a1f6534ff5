#!/bin/sh
# Writes the secrets of deploy/compose.yaml that can be generated into deploy/compose/secrets; keeps existing ones. The
# certificate (certificate.pem: chain, then key) is yours to add. Containers read the files under other users, so the
# folder alone is private.
set -eu
cd "$(dirname "$0")"
umask 022
mkdir -p secrets
chmod 700 secrets
write() { # NAME TEXT
  [ -e "secrets/$1" ] || printf '%s\n' "$2" >"secrets/$1"
}
write owner_password "$(openssl rand -hex 24)"
write app_password "$(openssl rand -hex 24)"
write tern_secret "$(openssl rand -base64 32)"
write migration_database_url "postgres://tern_owner:$(cat secrets/owner_password)@postgres/tern"
write database_url "postgres://tern_app:$(cat secrets/app_password)@postgres/tern"
