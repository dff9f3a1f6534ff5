// Three databases under Patroni and etcd, HAProxy and pgbouncer, on loopback, from the configuration in deploy/.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { storeLogs } from '@tern/testkit/database-server'
import { temporaryFolder } from '@tern/testkit/temporary-folder'
import { account, createDaemon, type Daemon, listFamily, readPostmaster, signal } from './processes.ts'
import {
  choosePorts,
  type Machine,
  type Ports,
  writeEtcd,
  writeHaproxy,
  writePatroni,
  writePgbouncer,
} from './recipes.ts'

const timeoutMs = 120_000
const pollMs = 100
const database = 'tern'
const owner = 'tern'
const applicationRole = 'tern_app'
/** Table for writes that must not survive, in the database `postgres`. */
export const markTable = 'failover_mark'

/** Debian packages and a program of each. */
const requiredPrograms = {
  patroni: 'patroni',
  'etcd-server': 'etcd',
  haproxy: 'haproxy',
  pgbouncer: 'pgbouncer',
  'postgresql-15': '/usr/lib/postgresql/15/bin/postgres',
}

/** Returns the Debian packages that are missing. */
export const findMissingPackages = (): string[] =>
  Object.entries(requiredPrograms)
    .filter(
      ([, program]) => spawnSync(program, ['--version'], { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } }).error,
    )
    .map(([name]) => name)

/**
 * Fault of a primary. `crash` kills its postmaster. `machine` kills PostgreSQL, Patroni and etcd. `frozen` stops
 * PostgreSQL and Patroni without a word. `isolated` stops only Patroni: the database works on and believes to be
 * primary.
 */
export type ClusterFault = 'crash' | 'machine' | 'frozen' | 'isolated'

interface Node {
  readonly name: string
  readonly directory: string
  readonly port: number
  readonly rest: number
  readonly etcd: Daemon
  readonly patroni: Daemon
}

export interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly timeline?: number
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>

async function until<T>(sentence: string, poll: () => Promise<T | undefined>, limitMs = timeoutMs): Promise<T> {
  for (const end = Date.now() + limitMs; Date.now() < end; await delay(pollMs)) {
    const result = await poll().catch(() => undefined)
    if (result !== undefined) return result
  }
  throw new Error(sentence)
}

/** Runs statements on one new connection. */
async function runOn<T extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3000, query_timeout: 5000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<T>(text, values)).rows
  } finally {
    await Promise.race([client.end().catch(() => {}), delay(500)])
    client.connection.stream.destroy()
  }
}

function createNodes(folder: string, ports: Ports, environment: Readonly<Record<string, string>>): Node[] {
  return ([1, 2, 3] as const).map((machine: Machine) => {
    const setup = { folder, environment }
    return {
      name: `db${machine}`,
      directory: path.join(folder, `postgres-${machine}`),
      port: ports.machines[machine].postgres,
      rest: ports.machines[machine].rest,
      etcd: createDaemon(`etcd-${machine}`, {
        ...setup,
        command: ['etcd', '--config-file', writeEtcd(folder, machine, ports)],
      }),
      patroni: createDaemon(`patroni-${machine}`, {
        ...setup,
        command: ['patroni', writePatroni(folder, machine, ports)],
      }),
    }
  })
}

/** Starts everything, with the roles and the database of the product. */
export async function startCluster() {
  const folder = fs.mkdtempSync(path.join(temporaryFolder(), `tern-cluster-${process.pid}-`))
  fs.chmodSync(folder, 0o755)
  const owningAccount = account()
  if (owningAccount) fs.chownSync(folder, owningAccount.uid, owningAccount.gid)
  const ports = await choosePorts()
  const password = randomBytes(18).toString('base64url')
  const nodes = createNodes(folder, ports, {
    PATRONI_SUPERUSER_PASSWORD: password,
    PATRONI_REPLICATION_PASSWORD: password,
    PATRONI_REWIND_PASSWORD: password,
  })
  const haproxy = createDaemon('haproxy', { folder, command: ['haproxy', '-db', '-f', writeHaproxy(folder, ports)] })
  const configuration = path.join(folder, 'pgbouncer.ini')
  const pgbouncer = createDaemon('pgbouncer', { folder, command: ['pgbouncer', configuration] })
  const buildUrl = (role: string, port: number, name = database) =>
    `postgres://${role}:${password}@127.0.0.1:${port}/${name}`
  const frozen = new Set<number>()

  async function readMembers(): Promise<readonly Member[]> {
    const answers = nodes.map(async ({ rest }) => {
      const answer = await fetch(`http://127.0.0.1:${rest}/cluster`, { signal: AbortSignal.timeout(1000) })
      return ((await answer.json()) as { members: Member[] }).members
    })
    return Promise.any(answers)
  }

  async function findPrimary(): Promise<Node | undefined> {
    const leader = (await readMembers()).find(({ role, state }) => role === 'leader' && state === 'running')
    return nodes.find(({ name }) => name === leader?.name)
  }

  /** Returns the number of standbys that stream from the primary if one of them is synchronous, also for Patroni. */
  async function countStandbys(): Promise<number | undefined> {
    const members = await readMembers()
    if (!members.some(({ role, state }) => role === 'sync_standby' && state === 'running')) return undefined
    const rows = await runOn<{ sync_state: string }>(
      buildUrl('postgres', ports.primary, 'postgres'),
      `select sync_state from pg_stat_replication where state = 'streaming'`,
    )
    return rows.some(({ sync_state: state }) => state === 'sync') ? rows.length : undefined
  }

  const waitUntilReplicated = (standbys = 2) =>
    until(`there were no ${standbys} standbys`, async () => ((await countStandbys()) ?? 0) >= standbys || undefined)

  async function createDatabase(): Promise<void> {
    const url = buildUrl('postgres', ports.primary, 'postgres')
    await runOn(url, `create role ${owner} login password '${password}'`)
    await runOn(url, `create role ${applicationRole} login password '${password}'`)
    await runOn(url, `create database ${database} owner ${owner}`)
    await runOn(url, `create table ${markTable} (id uuid)`)
    const rows = await runOn<{ rolname: string; rolpassword: string }>(
      url,
      'select rolname, rolpassword from pg_authid where rolname = $1',
      [applicationRole],
    )
    writePgbouncer(folder, ports, Object.fromEntries(rows.map((row) => [row.rolname, row.rolpassword])))
  }

  async function close(): Promise<void> {
    for (const pid of frozen) signal(pid, 'SIGCONT')
    await pgbouncer.stop()
    await haproxy.stop()
    for (const { patroni } of nodes) patroni.kill('SIGKILL')
    const servers = nodes.map(({ directory }) => readPostmaster(directory))
    for (const pid of servers) signal(pid, 'SIGQUIT')
    for (const pid of servers) await until('a server did not stop', async () => !isAlive(pid) || undefined)
    await Promise.all(nodes.map(({ etcd }) => etcd.stop()))
    storeLogs(folder)
    fs.rmSync(folder, { recursive: true, force: true })
  }

  try {
    await Promise.all(nodes.map(({ etcd }) => etcd.start()))
    await Promise.all(nodes.map(({ patroni }) => patroni.start()))
    await haproxy.start()
    await waitUntilReplicated()
    await createDatabase()
    await pgbouncer.start()
  } catch (error) {
    console.error(readLogs(folder))
    await close()
    throw error
  }

  return {
    folder,
    applicationRole,
    /** For the owner of the schema, at HAProxy. */
    url: buildUrl(owner, ports.primary),
    /** For the product, at pgbouncer. */
    applicationUrl: buildUrl(applicationRole, ports.pgbouncer),
    /** Database `postgres` of one node, past HAProxy and pgbouncer. */
    directUrl: ({ port }: Node) => buildUrl('postgres', port, 'postgres'),
    readMembers,
    findPrimary,
    waitUntilReplicated,
    logs: () => readLogs(folder),
    /** Inflicts a fault on a node. */
    inflict(node: Node, fault: ClusterFault): void {
      const server = readPostmaster(node.directory)
      if (fault === 'isolated' || fault === 'frozen') {
        const pids = [node.patroni.pid(), ...(fault === 'frozen' && server !== undefined ? listFamily(server) : [])]
        for (const pid of pids) {
          signal(pid, 'SIGSTOP')
          if (pid !== undefined) frozen.add(pid)
        }
        return
      }
      if (fault === 'machine') for (const daemon of [node.patroni, node.etcd]) daemon.kill('SIGKILL')
      signal(server, 'SIGKILL')
    },
    /** Ends the fault; Patroni then makes the node a standby. */
    async repair(node: Node): Promise<void> {
      for (const pid of frozen) signal(pid, 'SIGCONT')
      frozen.clear()
      for (const daemon of [node.etcd, node.patroni]) if (daemon.pid() === undefined) await daemon.start()
    },
    /** Waits until another node accepts writes. */
    waitForPrimary: (other: Node) =>
      until(`no node took the place of ${other.name}`, async () => {
        const primary = await findPrimary()
        if (!primary || primary === other) return undefined
        const url = buildUrl('postgres', primary.port, 'postgres')
        const rows = await runOn<{ standby: boolean }>(url, 'select pg_is_in_recovery() as standby')
        return rows[0]?.standby === false ? primary : undefined
      }),
    /** Returns whether the current primary has a mark. */
    async hasMark(mark: string): Promise<boolean> {
      const url = buildUrl('postgres', ports.primary, 'postgres')
      return (await runOn(url, `select from ${markTable} where id = $1`, [mark])).length > 0
    },
    close,
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Returns the last lines of every log. */
function readLogs(folder: string): string {
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.log'))
  return files
    .map((name) => {
      const lines = fs.readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n')
      return `--- ${name}\n${lines.slice(-12).join('\n')}`
    })
    .join('\n')
}
