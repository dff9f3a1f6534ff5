#!/usr/bin/env bash
# deploy/checks/empty-server.sh FOLDER: follows docs/going-live.md in an empty Debian, from the program assembled in
# FOLDER to production mode with TLS, two apps, two workers and nginx, and prints the time of each step. The Debian is a
# chroot on this machine's network: it uses the ports 15000 to 15499, starts processes without systemd, and trusts a
# certificate authority of its own. Nothing outside is called. Needs root, debootstrap and curl; leaves nothing behind.
set -euo pipefail
program=$(realpath "${1:?Which folder has the assembled program?}")
work=$(mktemp -d)
server=$work/server
started=$(date +%s)
step() { echo "[$(($(date +%s) - started)) s] $*"; }
inside() {
  chroot "$server" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

stop_all() { # SIGNAL
  local process
  for process in /proc/[0-9]*; do
    if [ "$(readlink "$process/root" 2>/dev/null)" = "$server" ]; then kill "-$1" "${process#/proc/}" 2>/dev/null || true; fi
  done
}

clean_up() {
  stop_all TERM
  inside pg_ctlcluster --force 15 main stop >/dev/null 2>&1 || true
  sleep 2
  stop_all KILL
  sleep 1
  umount "$server/proc" "$server/dev" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT

step 'an empty Debian'
debootstrap --variant=minbase --include=ca-certificates bookworm "$server" >"$work/log"
mount --bind /proc "$server/proc"
mount --bind /dev "$server/dev"
# Packages must not start services on this machine.
printf '#!/bin/sh\nexit 101\n' >"$server/usr/sbin/policy-rc.d"
chmod +x "$server/usr/sbin/policy-rc.d"

step 'packages and the user'
inside apt-get update -qq
inside apt-get install -y -qq --no-install-recommends postgresql nginx-light openssl >"$work/log" 2>&1
inside useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin tern

step 'the program'
cp -a "$program" "$server/opt/tern-0.1.0"
ln -s tern-0.1.0 "$server/opt/tern"
ln -s /opt/tern/bin/tern "$server/usr/local/bin/tern"

step 'the database, its roles, secrets and settings'
sed -i 's/^port = .*/port = 15432/' "$server/etc/postgresql/15/main/postgresql.conf"
inside pg_ctlcluster 15 main start
owner=$(openssl rand -hex 24) app=$(openssl rand -hex 24)
inside runuser -u postgres -- psql -q -p 15432 -c "create role tern_owner login password '$owner'" \
  -c "create role tern_app login password '$app'" -c 'create database tern owner tern_owner'
(
  umask 027
  mkdir -p "$server/etc/tern/secrets"
  echo "postgres://tern_app:$app@localhost:15432/tern" >"$server/etc/tern/secrets/database_url"
  openssl rand -base64 32 >"$server/etc/tern/secrets/tern_secret"
)
inside chgrp -R tern /etc/tern
cat >"$server/etc/tern/environment" <<'SETTINGS'
TERN_MODE=production
PUBLIC_URL=https://tern.example:15443
HOST=127.0.0.1
TRUSTED_PROXIES=1
TERN_SECRET_FILE=/etc/tern/secrets/tern_secret
DATABASE_URL_FILE=/etc/tern/secrets/database_url
OPERATOR_NAME='Example Money Ltd'
SUPPORT_CONTACT=help@tern.example
DESK_URL=http://localhost:15002
SCREENING_LIST_URLS=off
ECB_RATES_URL=off
BITSTAMP_URL=off
SETTINGS

step 'migrate'
inside env "MIGRATION_DATABASE_URL=postgres://tern_owner:$owner@localhost:15432/tern" APPLICATION_ROLE=tern_app tern migrate

step 'two apps, two workers'
start() { # ROLE PORT ADMIN_PORT
  inside sh -c "set -a; . /etc/tern/environment; cd /opt/tern; PORT=$2 ADMIN_PORT=$3 NODE_ENV=production HOME=/tmp \
    exec setpriv --reuid tern --regid tern --init-groups --no-new-privs bin/node packages/server/src/main.ts $1" \
    >>"$work/processes.log" 2>&1 &
}
start app 15000 15002
start app 15010 15012
start worker 15020 15003
start worker 15030 15013
for port in 15000 15010 15003 15013; do
  for _ in $(seq 300); do
    if curl -sf "localhost:$port/readyz" >/dev/null; then break; fi
    sleep 0.2
  done
  curl -sf "localhost:$port/readyz" >/dev/null || { tail -n 5 "$work/processes.log"; exit 1; }
done

step 'TLS'
certificates=/etc/letsencrypt/live/tern.example
inside sh -euc "mkdir -p $certificates && cd $certificates
  openssl req -x509 -newkey rsa:2048 -nodes -days 90 -subj /CN=Authority -keyout ca.key -out ca.pem
  openssl req -newkey rsa:2048 -nodes -subj /CN=tern.example -addext subjectAltName=DNS:tern.example -keyout privkey.pem -out csr.pem
  openssl x509 -req -in csr.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 60 -copy_extensions copy -out cert.pem
  cat cert.pem ca.pem >fullchain.pem" 2>"$work/log"
sed -e 's/127\.0\.0\.1:3000/127.0.0.1:15000/; s/127\.0\.0\.1:3010/127.0.0.1:15010/' -e 's/listen 80;/listen 127.0.0.1:15480;/' \
  -e 's/listen 443/listen 127.0.0.1:15443/' "$server/opt/tern/deploy/nginx/tern.conf" >"$server/etc/nginx/conf.d/tern.conf"
rm -f "$server/etc/nginx/sites-enabled/default"
inside nginx
page=$(curl -sf --retry 5 --retry-connrefused --cacert "$server$certificates/ca.pem" --resolve tern.example:15443:127.0.0.1 https://tern.example:15443/)
[[ $page == *'<title>'* ]] || { echo 'The first page did not arrive through TLS.'; exit 1; }

step 'the first operator, and an audit'
inside tern desk add 'Ada Example' --role lead --no-account >/dev/null
inside tern audit >/dev/null
step 'done'
