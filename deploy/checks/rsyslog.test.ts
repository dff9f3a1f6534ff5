import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { choosePort } from '../../packages/server/src/platform/database/embedded-postgres.ts'
import { makeCertificate } from './proxies.ts'

const hasRsyslog = spawnSync('rsyslogd', ['-v']).status === 0
const recipe = fs.readFileSync(new URL('../rsyslog/tern.conf', import.meta.url), 'utf8')
const waiting = { timeout: 60_000, interval: 100 }

/** Starts rsyslog with the recipe: it reads a file of nginx below `folder`, and sends to `port` on this machine. */
function startRsyslog(folder: string, { port, peer, authority }: { port: number; peer: string; authority: string }) {
  const replacements = {
    'workDirectory="/var/spool/rsyslog"': `workDirectory="${folder}"`,
    '/etc/rsyslog.d/collector.pem': authority,
    'target="collector.example" port="6514"': `target="localhost" port="${port}"`,
    'streamDriverPermittedPeers="collector.example"': `streamDriverPermittedPeers="${peer}"`,
    '/var/log/': `${folder}/`,
    'action.resumeInterval="5"': 'action.resumeInterval="1"',
  }
  const text = Object.entries(replacements).reduce((found, [from, to]) => {
    if (!found.includes(from)) throw new Error(`the recipe lacks ${from}`)
    return found.replaceAll(from, to)
  }, recipe)
  const file = path.join(folder, 'rsyslog.conf')
  fs.writeFileSync(file, text)
  const checked = spawnSync('rsyslogd', ['-N1', '-f', file], { encoding: 'utf8' })
  expect([checked.status, checked.stderr]).toEqual([0, expect.not.stringMatching(/error|warning|could not/i)])
  const child: ChildProcess = spawn('rsyslogd', ['-n', '-f', file, '-i', path.join(folder, 'pid')], { stdio: 'ignore' })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    fs.rmSync(folder, { recursive: true })
  })
}

/** Starts a collector, which keeps what it receives. */
async function startCollector(port: number, { key, certificate }: { key: string; certificate: string }) {
  const received: string[] = []
  let connections = 0
  const options = { key: fs.readFileSync(key), cert: fs.readFileSync(certificate) }
  const server = tls.createServer(options, (socket) => {
    socket.on('data', (chunk) => received.push(String(chunk))).on('error', () => {})
  })
  server
    .on('connection', () => (connections += 1))
    .on('tlsClientError', () => {})
    .listen(port, 'localhost')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { readAll: () => received.join(''), countConnections: () => connections }
}

async function prepare() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-rsyslog-'))
  fs.mkdirSync(path.join(folder, 'nginx'))
  const log = path.join(folder, 'nginx', 'access.log')
  fs.writeFileSync(log, '')
  return { folder, log, port: await choosePort(), ...makeCertificate(folder) }
}

describe.runIf(hasRsyslog)('forwarding logs with rsyslog', () => {
  test('lines reach a collector over TLS, also those written while it was away', async () => {
    const { folder, log, port, certificate, key } = await prepare()
    startRsyslog(folder, { port, peer: 'tern.example', authority: certificate })
    fs.appendFileSync(log, 'GET /first HTTP/1.1\n')
    await vi.waitFor(() => expect(fs.existsSync(path.join(folder, 'pid'))).toBe(true), waiting)
    const { readAll } = await startCollector(port, { key, certificate })
    await vi.waitFor(() => expect(readAll()).toContain('GET /first HTTP/1.1'), waiting)
    fs.appendFileSync(log, 'GET /second HTTP/1.1\n')
    await vi.waitFor(() => expect(readAll()).toContain('GET /second HTTP/1.1'), waiting)
    expect(readAll()).toMatch(/^\d+ <\d+>1 \d{4}-\d\d-\d\dT/)
  })

  test('a collector with another name receives nothing', async () => {
    const { folder, log, port, certificate, key } = await prepare()
    startRsyslog(folder, { port, peer: 'collector.example', authority: certificate })
    const { readAll, countConnections } = await startCollector(port, { key, certificate })
    fs.appendFileSync(log, 'GET /secret HTTP/1.1\n')
    await vi.waitFor(() => expect(countConnections()).toBeGreaterThan(1), waiting)
    expect(readAll()).toBe('')
  })
})
