// The configuration files in deploy/, with this machine's ports and folders instead of three machines' addresses.

import fs from 'node:fs'
import path from 'node:path'
import { choosePort } from '../../packages/server/src/platform/database/embedded-postgres.ts'

const deploy = new URL('../../deploy/', import.meta.url)
const machines = [1, 2, 3] as const
export type Machine = (typeof machines)[number]

export interface MachinePorts {
  readonly postgres: number
  readonly rest: number
  readonly etcd: number
  readonly etcdPeer: number
}

export interface Ports {
  readonly machines: Readonly<Record<Machine, MachinePorts>>
  readonly primary: number
  readonly replica: number
  readonly pgbouncer: number
}

async function chooseMachinePorts(): Promise<MachinePorts> {
  return {
    postgres: await choosePort(),
    rest: await choosePort(),
    etcd: await choosePort(),
    etcdPeer: await choosePort(),
  }
}

export async function choosePorts(): Promise<Ports> {
  return {
    machines: { 1: await chooseMachinePorts(), 2: await chooseMachinePorts(), 3: await chooseMachinePorts() },
    primary: await choosePort(),
    replica: await choosePort(),
    pgbouncer: await choosePort(),
  }
}

const read = (file: string): string => fs.readFileSync(new URL(file, deploy), 'utf8')

/** Replaces `pattern` everywhere; throws if the file does not contain it, so that it cannot go its own way. */
function substitute(text: string, pattern: string | RegExp, replacement: string): string {
  const replaced =
    typeof pattern === 'string' ? text.replaceAll(pattern, replacement) : text.replace(pattern, replacement)
  if (replaced === text) throw new Error(`a configuration file in deploy/ no longer contains ${String(pattern)}`)
  return replaced
}

const addressOf = (machine: Machine): string => `10.0.0.1${machine}`

/** Replaces the addresses of the three machines by loopback and their ports. */
function localize(text: string, ports: Ports): string {
  let result = text
  for (const machine of machines) {
    const { postgres, rest, etcd, etcdPeer } = ports.machines[machine]
    const local = { 5432: postgres, 8008: rest, 2379: etcd, 2380: etcdPeer }
    for (const [port, replacement] of Object.entries(local))
      result = result.replaceAll(`${addressOf(machine)}:${port}`, `127.0.0.1:${replacement}`)
  }
  return result
}

/** Makes the file of the first machine that of another, as its first comment says. */
function assign(text: string, machine: Machine, ownSettings: RegExp): string {
  const named = text.replace(/^name: db1$/m, `name: db${machine}`)
  return named.replaceAll(ownSettings, (line) => line.replaceAll(addressOf(1), addressOf(machine)))
}

export function writeEtcd(folder: string, machine: Machine, ports: Ports): string {
  const own = assign(read('etcd/etcd.yml'), machine, /^(?!initial-cluster)[a-z-]+-urls: .*$/gm)
  const text = substitute(localize(own, ports), '/var/lib/etcd/tern', path.join(folder, `etcd-${machine}`))
  return write(folder, `etcd-${machine}.yml`, text)
}

export function writePatroni(folder: string, machine: Machine, ports: Ports): string {
  const own = assign(read('patroni/patroni.yml'), machine, /^ +(listen|connect_address): .*$/gm)
  let text = localize(own, ports)
  text = substitute(text, '/var/lib/postgresql/15/tern', path.join(folder, `postgres-${machine}`))
  text = substitute(text, '/var/lib/postgresql/tern.pgpass', path.join(folder, `pgpass-${machine}`))
  return write(folder, `patroni-${machine}.yml`, text)
}

export function writeHaproxy(folder: string, ports: Ports): string {
  let text = read('haproxy/postgres.cfg')
  for (const machine of machines) {
    const { postgres, rest } = ports.machines[machine]
    const server = `${addressOf(machine)}:5432 check port 8008`
    text = substitute(text, server, `127.0.0.1:${postgres} check port ${rest}`)
  }
  text = substitute(text, '127.0.0.1:5000', `127.0.0.1:${ports.primary}`)
  text = substitute(text, '127.0.0.1:5001', `127.0.0.1:${ports.replica}`)
  return write(folder, 'haproxy.cfg', text)
}

/** `secrets` are stored passwords by role, as PostgreSQL keeps them. */
export function writePgbouncer(folder: string, ports: Ports, secrets: Readonly<Record<string, string>>): string {
  const lines = Object.entries(secrets).map(([role, secret]) => `"${role}" "${secret}"\n`)
  const userlist = write(folder, 'userlist.txt', lines.join(''))
  let text = substitute(read('pgbouncer/pgbouncer.ini'), 'port=5000', `port=${ports.primary}`)
  text = substitute(text, 'listen_port = 6432', `listen_port = ${ports.pgbouncer}`)
  text = substitute(text, '/etc/pgbouncer/userlist.txt', userlist)
  return write(folder, 'pgbouncer.ini', text)
}

function write(folder: string, name: string, text: string): string {
  const file = path.join(folder, name)
  fs.writeFileSync(file, text)
  return file
}
