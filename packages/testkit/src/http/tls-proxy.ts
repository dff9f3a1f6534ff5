// For tests: a reverse proxy with TLS and a self-made certificate, like the one in front of an installation.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import tls from 'node:tls'

declare module 'node:tls' {
  // Since Node 24.5; the types are older.
  function setDefaultCACertificates(certificates: readonly string[]): void
}

export interface Certificate {
  readonly key: string
  readonly cert: string
  /** Suites of TLS 1.2, if not only those with forward secrecy and authenticated encryption. */
  readonly ciphers?: string
}

const strongCiphers = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256'
const withStrongCiphers = (certificate: Certificate) => ({ ciphers: strongCiphers, ...certificate })

/** Makes a certificate for localhost that ends after so many days. */
export function makeCertificate(days: number): Certificate {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-certificate-'))
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
  try {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    execFileSync('openssl', ['req', '-x509', ...curve, ...names, '-days', String(days), '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    })
    return { key: fs.readFileSync(key, 'utf8'), cert: fs.readFileSync(cert, 'utf8') }
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

/** Makes this process trust these certificates besides the usual ones. */
export function trustCertificates(certificates: readonly Certificate[]): void {
  const usual = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...usual, ...certificates.map(({ cert }) => cert)])
}

/** Behaviour of the proxy, which tests change. */
const createSoundBehaviour = () => ({
  /** How X-Forwarded-For is set. */
  forwarding: 'append' as 'append' | 'replace' | 'pass_on' | 'remove',
  /** Keeps answers back until they are complete. */
  isBuffering: false,
  /** Response headers that are removed. */
  removed: [] as readonly string[],
  /** Answers nothing. */
  isSilent: false,
})

/** Starts the proxy, by default on a free port; `passTo` names the port of the server behind it. */
export async function startTlsProxy(certificate: Certificate, ownPort = 0) {
  const behaviour = createSoundBehaviour()
  let targetPort = 0
  const server = https.createServer(withStrongCiphers(certificate), (request, response) => {
    if (behaviour.isSilent) return
    const headers: http.OutgoingHttpHeaders = {
      ...request.headers,
      ...forward(behaviour.forwarding, request),
      'x-forwarded-proto': 'https',
    }
    if (behaviour.forwarding === 'remove') delete headers['x-forwarded-for']
    const options = { port: targetPort, host: 'localhost', method: request.method, path: request.url, headers }
    const passed = http.request(options, (answer) => {
      const kept = Object.entries(answer.headers).filter(([name]) => !behaviour.removed.includes(name))
      response.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept))
      if (!behaviour.isBuffering) return void answer.pipe(response)
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => response.end(Buffer.concat(chunks)))
    })
    passed.on('error', () => response.writeHead(502).end())
    request.pipe(passed)
  })
  server.listen(ownPort, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `https://localhost:${port}`,
    behaviour,
    reset: () => void Object.assign(behaviour, createSoundBehaviour()),
    passTo: (target: number) => void (targetPort = target),
    use: (other: Certificate) => server.setSecureContext(withStrongCiphers(other)),
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function forward(
  forwarding: 'append' | 'replace' | 'pass_on' | 'remove',
  { headers, socket }: http.IncomingMessage,
): http.OutgoingHttpHeaders {
  const own = socket.remoteAddress ?? ''
  if (forwarding === 'replace') return { 'x-forwarded-for': own }
  const before = headers['x-forwarded-for']
  return forwarding === 'append' ? { 'x-forwarded-for': [before, own].filter(Boolean).join(', ') } : {}
}
