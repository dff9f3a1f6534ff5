// Builds the container image from Debian packages, and runs migrate, app, worker and a command from it in production
// mode: as its ordinary user, on a read-only file system. A chroot in a mount namespace stands in for a container
// engine, which not every machine lets run.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { choosePort, startEmbeddedPostgres } from '../../packages/server/src/platform/database/embedded-postgres.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const maxMegabytes = 260
const user = '10001:10001'
const readyTimeoutMs = 120_000
const authorities = process.env.NODE_EXTRA_CA_CERTS

function run(program: string, ...parameters: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, parameters, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${parameters[0]} ended with ${status}: ${stderr.slice(-2000)}`)
  return stdout.trim()
}

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0

function build(): void {
  if (run('buildah', 'images', '--noheading', '--filter', 'reference=localhost/tern-b*') === '') {
    run('bash', 'deploy/image/debian-bases.sh')
  }
  // A proxy's own certificate authority, if this machine has one.
  const trust = authorities
    ? ['--build-arg', `NODE_EXTRA_CA_CERTS=${authorities}`, '--volume', `${authorities}:${authorities}:ro`]
    : []
  const bases = ['BUILD=localhost/tern-build', 'BASE=localhost/tern-base'].flatMap((base) => ['--build-arg', base])
  const options = ['--isolation', 'chroot', '--format', 'docker', '--layers', ...bases, ...trust]
  run('buildah', 'build', ...options, '--file', 'deploy/image/Containerfile', '--tag', 'localhost/tern', '.')
}

/** Returns the size of all files below a folder, in megabytes. */
const measure = (folder: string): number =>
  Math.ceil(Number(run('du', '--summarize', '--apparent-size', '--bytes', folder).split('\t')[0]) / 1_000_000) // not money: bytes

/** Prepares the read-only root of a container at /mnt of a mount namespace, and runs the entry point in it. */
const containerScript = `
mount --bind "$1" /mnt && mount -o remount,bind,ro /mnt
mount -t tmpfs tmpfs /mnt/tmp && mount -t tmpfs tmpfs /mnt/run && mount --bind /proc /mnt/proc
cp -r "$2" /mnt/run/secrets && chmod -R a+rX /mnt/run/secrets
shift 2
exec chroot --userspec=${user} /mnt /opt/tern/bin/node /opt/tern/deploy/image/entry.ts "$@"`

interface Container {
  readonly folder: string
  readonly secrets: string
  readonly settings: Readonly<Record<string, string>>
}

function start({ folder, secrets, settings }: Container, ...words: readonly string[]): ChildProcess {
  const parameters = ['--mount', '--propagation', 'private', 'bash', '-c', containerScript, 'image', folder, secrets]
  // As the image sets them.
  const defaults = {
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: '/opt/tern/.cache/node',
    HOME: '/tmp',
    DATA_DIR: '/tmp',
  }
  return spawn('unshare', [...parameters, ...words], {
    env: { PATH: process.env.PATH, ...defaults, ...settings },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

async function runToEnd(container: Container, ...words: readonly string[]): Promise<string[]> {
  const [code] = (await once(start(container, ...words), 'exit')) as [number | null]
  return code === 0 ? [] : [`tern ${words.join(' ')} ended with ${code}`]
}

async function waitUntilReady(url: string): Promise<void> {
  for (const end = Date.now() + readyTimeoutMs; ; await delay(100)) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.status === 200) return
    if (Date.now() > end) throw new Error(`${url} did not become ready`)
  }
}

/** Returns the first page as people get it, under the name of PUBLIC_URL. */
async function readFirstPage(port: number): Promise<string> {
  const request = http.get({ host: '127.0.0.1', port, headers: { host: 'tern.example' } })
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  return text(response)
}

async function stop(child: ChildProcess): Promise<string[]> {
  child.kill('SIGTERM')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode === 0 ? [] : [`a process ended with ${child.exitCode ?? child.signalCode} when it was stopped`]
}

/** Runs the image at `folder` against a database; returns the faults. */
async function runProduct(folder: string, work: string): Promise<string[]> {
  const database = await startEmbeddedPostgres({ dataDir: path.join(work, 'data') })
  const secrets = path.join(work, 'secrets')
  fs.mkdirSync(secrets)
  const write = (name: string, text: string) => fs.writeFileSync(path.join(secrets, name), `${text}\n`)
  write('tern_secret', randomBytes(32).toString('base64'))
  write('database_url', database.applicationUrl)
  write('migration_database_url', database.url)
  const [port, adminPort, workerPort] = [await choosePort(), await choosePort(), await choosePort()]
  const settings = {
    TERN_MODE: 'production',
    PUBLIC_URL: 'https://tern.example',
    TERN_SECRET_FILE: '/run/secrets/tern_secret',
    DATABASE_URL_FILE: '/run/secrets/database_url',
    LOG_LEVEL: 'error',
    ...{ SCREENING_LIST_URLS: 'off', ECB_RATES_URL: 'off', BITSTAMP_URL: 'off', LAME_DUCK_SECONDS: '0' },
  }
  const container = { folder, secrets, settings }
  const owner = { MIGRATION_DATABASE_URL_FILE: '/run/secrets/migration_database_url' }
  const processes: ChildProcess[] = []
  try {
    const faults = await runToEnd(
      { ...container, settings: { ...owner, APPLICATION_ROLE: database.applicationRole } },
      'migrate',
    )
    const portSettings = { PORT: String(port), ADMIN_PORT: String(adminPort) }
    processes.push(start({ ...container, settings: { ...settings, ...portSettings } }, 'app'))
    processes.push(start({ ...container, settings: { ...settings, ADMIN_PORT: String(workerPort) } }, 'worker'))
    await Promise.all([port, workerPort].map((each) => waitUntilReady(`http://127.0.0.1:${each}`)))
    const page = await readFirstPage(port)
    if (!page.includes('<title>')) faults.push(`the first page is ${page.slice(0, 200)}`)
    faults.push(...(await runToEnd(container, 'audit')))
    for (const child of processes.splice(0)) faults.push(...(await stop(child)))
    return [...faults, ...(await findUnexpectedRoles(database.url))]
  } finally {
    for (const child of processes) await stop(child)
    await database.stop()
  }
}

/** App, worker and audit connect as the application's role, which owns no table. */
async function findUnexpectedRoles(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ count: number }>('select count(*)::int as count from audit_run')
  await client.end()
  return rows[0]?.count === 1 ? [] : ['the audit left no record']
}

/** Builds and runs the image. Needs root, buildah, debootstrap and npm. */
export async function runImage(print: (sentence: string) => void): Promise<readonly string[]> {
  const missing = ['buildah', 'debootstrap', 'unshare'].filter((program) => !isInstalled(program))
  if (missing.length > 0) return [`Not installed: ${missing.join(', ')} (apt-get install).`]
  build()
  const container = run('buildah', 'from', 'localhost/tern')
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-image-'))
  fs.chmodSync(work, 0o755)
  try {
    const folder = run('buildah', 'mount', container)
    const megabytes = measure(folder)
    print(`The image has ${megabytes} MB.`)
    const faults = await runProduct(folder, work)
    return megabytes > maxMegabytes ? [...faults, `the image has ${megabytes} MB, more than ${maxMegabytes}`] : faults
  } finally {
    run('buildah', 'rm', container)
    fs.rmSync(work, { recursive: true })
  }
}
