// Runs the documented configurations of nginx and HAProxy on free ports, with a certificate made for the run.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { choosePort } from '../../packages/server/src/platform/database/embedded-postgres.ts'

export const proxyNames = ['nginx', 'haproxy'] as const
export type ProxyName = (typeof proxyNames)[number]

export const isInstalled = (name: ProxyName): boolean => spawnSync(name, ['-v']).status === 0

const readConfiguration = (file: string): string => fs.readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

interface Certificate {
  /** Paths of the certificate, its key, and both in one file. */
  readonly certificate: string
  readonly key: string
  readonly pair: string
}

/** Makes a self-signed certificate for tern.example and this machine. */
export function makeCertificate(folder: string): Certificate {
  const [certificate, key, pair] = ['tern.crt', 'tern.key', 'tern.pem'].map((name) => path.join(folder, name))
  if (certificate === undefined || key === undefined || pair === undefined) throw new Error('no path')
  const subject = ['-subj', '/CN=tern.example', '-addext', 'subjectAltName=DNS:tern.example,DNS:localhost,IP:127.0.0.1']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const parameters = ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', certificate]
  const { status, stderr } = spawnSync('openssl', parameters, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl: ${stderr}`)
  fs.writeFileSync(pair, fs.readFileSync(certificate, 'utf8') + fs.readFileSync(key, 'utf8'))
  return { certificate, key, pair }
}

interface ProxySetup extends Certificate {
  readonly folder: string
  /** Ports of the two apps. */
  readonly apps: readonly [string, string]
  readonly plainPort: number
  readonly port: number
}

/** Replaces each text, and throws for one that the configuration lacks. */
function replaceAll(configuration: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the configuration lacks "${from}"`)
    return text.replaceAll(from, to)
  }, configuration)
}

interface Invocation {
  readonly parameters: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

const setups: Readonly<Record<ProxyName, (setup: ProxySetup) => Invocation>> = {
  nginx({ folder, apps, plainPort, port, certificate, key }) {
    const servers = replaceAll(readConfiguration('nginx/tern.conf'), {
      '127.0.0.1:3000': `127.0.0.1:${apps[0]}`,
      '127.0.0.1:3010': `127.0.0.1:${apps[1]}`,
      'listen 80;': `listen 127.0.0.1:${plainPort};`,
      'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
      '/etc/letsencrypt/live/tern.example/fullchain.pem': certificate,
      '/etc/letsencrypt/live/tern.example/privkey.pem': key,
      '/var/log/nginx/access.log': `${folder}/access.log`,
      'server_name tern.example;': 'server_name tern.example localhost;',
    })
    const file = path.join(folder, 'nginx.conf')
    const bodies = ['client_body', 'proxy'].map((name) => `${name}_temp_path ${folder};`).join(' ')
    fs.writeFileSync(
      file,
      `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
      events {} http { ${bodies} ${servers} }`,
    )
    return { parameters: ['-c', file, '-e', `${folder}/error.log`] }
  },
  haproxy({ folder, apps, plainPort, port, pair }) {
    const file = path.join(folder, 'haproxy.cfg')
    const text = replaceAll(readConfiguration('haproxy/haproxy.cfg'), {
      'bind :80': `bind 127.0.0.1:${plainPort}`,
      'bind :443': `bind 127.0.0.1:${port}`,
      // Not every machine allows so many open files.
      'maxconn 20000': 'maxconn 1000',
    })
    fs.writeFileSync(file, text)
    const environment = {
      APP_1: `127.0.0.1:${apps[0]}`,
      APP_2: `127.0.0.1:${apps[1]}`,
      CERTIFICATE: pair,
      LOG: 'stdout',
    }
    return { parameters: ['-db', '-f', file], environment }
  },
}

export interface RunningProxy {
  readonly url: string
  readonly plainUrl: string
  /** Certificate that callers trust. */
  readonly ca: string
  /** Lines about requests; empty without such a log. */
  readAccessLog(): string
  close(): Promise<void>
}

/** Starts a proxy in front of two apps. */
export async function startProxy(name: ProxyName, urls: readonly [string, string]): Promise<RunningProxy> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `tern-${name}-`))
  const [plainPort, port] = [await choosePort(), await choosePort()]
  const certificate = makeCertificate(folder)
  const apps = [new URL(urls[0]).port, new URL(urls[1]).port] as const
  const { parameters, environment } = setups[name]({ folder, apps, plainPort, port, ...certificate })
  const child: ChildProcess = spawn(name, parameters, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(child, 'spawn')
  return {
    url: `https://localhost:${port}`,
    plainUrl: `http://localhost:${plainPort}`,
    ca: fs.readFileSync(certificate.certificate, 'utf8'),
    readAccessLog() {
      const file = path.join(folder, 'access.log')
      return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
    },
    async close() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      fs.rmSync(folder, { recursive: true })
    },
  }
}

export interface Call {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Calls an address whose certificate is the proxy's own, with a connection for each call or kept by `agent`. */
export function callHttps(
  url: string,
  { ca, agent, method = 'GET', headers = {}, body }: Call & { ca: string; agent?: https.Agent },
): Promise<{ status: number; text: string; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const request = https.request(url, { ca, method, headers, ...(agent ? { agent } : {}) }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString('utf8'),
          headers: response.headers,
        }),
      )
    })
    request.on('error', reject)
    request.end(body)
  })
}
