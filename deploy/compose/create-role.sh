#!/bin/sh
# Creates the role of app and worker when the database is new; `tern migrate` grants its rights.
set -eu
password=$(cat /run/secrets/app_password)
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=password="$password" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
create role tern_app login password :'password';
SQL
