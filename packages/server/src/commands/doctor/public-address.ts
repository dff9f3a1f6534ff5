// PUBLIC_URL as people reach it: certificate, redirect, headers, the caller's address behind proxies, event streams.

import tls from 'node:tls'
import { fault, notChecked, ok, type SetupFinding, warning } from '@tern/providers/setup'
import {
  callerProbePath,
  type SeenCaller,
  signProbe,
  streamPauseMs,
  streamProbePath,
} from '../../platform/operations/probes.ts'
import type { Check, DoctorContext } from './check.ts'
import { countText } from './durations.ts'
import { describeVisitError, visit, visitTimeoutMs } from './visit.ts'

const dayMs = 86_400_000
const daysBeforeFault = 7
const daysBeforeWarning = 21

interface Certificate {
  readonly validTo: Date
  /** Reason why clients refuse it; undefined if they accept it. */
  readonly problem: string | undefined
  readonly protocol: string
}

/** Completes a TLS handshake, also with a certificate that clients refuse, and sends nothing. */
function readCertificate(hostname: string, port: number): Promise<Certificate> {
  return new Promise((resolve, reject) => {
    const host = hostname.replaceAll(/[[\]]/g, '')
    const servername = /^[\d.]+$|:/.test(host) ? undefined : host
    const socket = tls.connect({ host, port, rejectUnauthorized: false, ...(servername && { servername }) })
    socket.setTimeout(visitTimeoutMs, () => socket.destroy(new Error(`no answer within ${visitTimeoutMs / 1000} s`)))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      const { valid_to } = socket.getPeerCertificate()
      // Node sets an error code, although its type says Error.
      const problem = socket.authorized ? undefined : String(socket.authorizationError)
      resolve({ validTo: new Date(valid_to), problem, protocol: socket.getProtocol() ?? 'TLS' })
      socket.destroy()
    })
  })
}

const httpsPort = 443

async function checkCertificate({ config, machine }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { protocol, hostname, port } = new URL(config.publicUrl)
  if (protocol !== 'https:') {
    return [warning('PUBLIC_URL has no TLS.', 'Put a proxy with a certificate in front, and set PUBLIC_URL to https.')]
  }
  try {
    // not money: a port
    const certificate = await readCertificate(hostname, port === '' ? httpsPort : Number(port))
    return [judgeCertificate(certificate, machine.now())]
  } catch (error) {
    const found = `${config.publicUrl} does not answer (${describeVisitError(error)}).`
    return [fault(found, 'Start the proxy, or correct PUBLIC_URL, its DNS entry or the firewall.')]
  }
}

function judgeCertificate({ validTo, problem, protocol }: Certificate, now: Date): SetupFinding {
  const days = Math.floor((validTo.getTime() - now.getTime()) / dayMs) // not money: days
  const until = `valid until ${validTo.toISOString().slice(0, 10)}`
  const todo = 'Renew the certificate for this name, with its chain, and reload the proxy.'
  if (problem !== undefined) return fault(`Clients refuse the certificate (${problem}), ${until}.`, todo)
  const found = `The certificate is ${until}, for another ${countText(days, 'day')}, over ${protocol}.`
  if (days < daysBeforeFault) return fault(found, todo)
  return days < daysBeforeWarning ? warning(found, 'See why it is not renewed automatically.') : ok(found)
}

/** Suites of TLS 1.2 without forward secrecy or authenticated encryption, also those that OpenSSL no longer offers. */
const weakCiphers =
  'ALL:!ECDHE+AESGCM:!ECDHE+CHACHA20:!DHE+AESGCM:!DHE+CHACHA20:!DHE+AESCCM:!ECDHE+AESCCM:!ECDHE+ARIAGCM:!DHE+ARIAGCM:!PSK:@SECLEVEL=0'

/** Returns the weak suite that a server chooses if it is offered nothing else; undefined if it refuses. */
function findWeakCipher(hostname: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const host = hostname.replaceAll(/[[\]]/g, '')
    const servername = /^[\d.]+$|:/.test(host) ? undefined : host
    const options = { rejectUnauthorized: false, maxVersion: 'TLSv1.2', ciphers: weakCiphers } as const
    const socket = tls.connect({ host, port, ...options, ...(servername && { servername }) })
    socket.setTimeout(visitTimeoutMs, () => socket.destroy(new Error('no answer')))
    socket.once('error', () => resolve(undefined))
    socket.once('secureConnect', () => {
      resolve(socket.getCipher().standardName)
      socket.destroy()
    })
  })
}

async function checkCiphers({ config }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { protocol, hostname, port } = new URL(config.publicUrl)
  if (protocol !== 'https:') return [notChecked('PUBLIC_URL has no TLS.', seeCertificate)]
  // not money: a port
  const weak = await findWeakCipher(hostname, port === '' ? httpsPort : Number(port))
  if (weak === undefined) return [ok('The address refuses suites without forward secrecy or authenticated encryption.')]
  const todo = 'Set the list of suites in deploy/nginx/tern.conf or deploy/haproxy/haproxy.cfg at the proxy.'
  return [warning(`The address accepts ${weak}.`, todo)]
}

const shortestHstsSeconds = 180 * 86_400

async function checkHeaders({ config }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { publicUrl } = config
  try {
    const { status, headers } = await visit(`${publicUrl}/healthz`)
    if (status !== 200) {
      const todo = 'Start an app, and let the proxy pass every path on with its Host header.'
      return [fault(`${publicUrl}/healthz answers ${status}.`, todo)]
    }
    if (!publicUrl.startsWith('https:')) return [ok('The app answers; without TLS it sends no HSTS.')]
    const seconds = /max-age=(\d+)/.exec(headers['strict-transport-security'] ?? '')?.[1]
    // not money: seconds
    if (Number(seconds ?? 0) >= shortestHstsSeconds) return [ok('The app answers, with HSTS.')]
    const todo = 'Let the proxy pass on the header Strict-Transport-Security that the app sends.'
    return [warning('The answer has no HSTS, or for less than half a year.', todo)]
  } catch (error) {
    const found = `${publicUrl} does not answer (${describeVisitError(error)}).`
    if (publicUrl.startsWith('https:')) return [notChecked(found, seeCertificate)]
    return [fault(found, 'Start an app, or correct PUBLIC_URL.')]
  }
}

const seeCertificate = 'See public.certificate.'

async function checkRedirect({ config, machine }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { protocol, hostname } = new URL(config.publicUrl)
  if (protocol !== 'https:') return [notChecked('PUBLIC_URL has no TLS.', seeCertificate)]
  const plainUrl = `http://${hostname}:${machine.plainPort}/`
  const todo = `Let the proxy answer port ${machine.plainPort} with 301 or 308 to ${config.publicUrl}.`
  try {
    const { status, headers } = await visit(plainUrl)
    const isRedirect = status >= 300 && status < 400
    if (isRedirect && headers.location?.startsWith(`${config.publicUrl}/`)) return [ok(`It redirects (${status}).`)]
    if (isRedirect) return [fault(`It redirects to ${headers.location ?? 'nowhere'}.`, todo)]
    return [fault(`It answers ${status} without TLS.`, todo)]
  } catch (error) {
    return [warning(`It does not answer (${describeVisitError(error)}): a typed name may find nothing.`, todo)]
  }
}

/** Address from TEST-NET-3 (RFC 5737), which no caller has. */
const inventedAddress = '203.0.113.77'

async function checkProxies({ config, machine }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { publicUrl, secret } = config
  try {
    const headers = { ...signProbe(secret, machine.now()), 'x-forwarded-for': inventedAddress }
    const { status, body } = await visit(publicUrl + callerProbePath, headers)
    if (status !== 200) return [unansweredProbe(status)]
    const seen = JSON.parse(body) as SeenCaller
    return [judgeProxies(seen, config.trustedProxies, publicUrl.startsWith('https:'))]
  } catch (error) {
    return [notChecked(`${publicUrl} does not answer (${describeVisitError(error)}).`, seeCertificate)]
  }
}

const unansweredProbe = (status: number): SetupFinding =>
  notChecked(
    `The app answers ${status} to the signed request.`,
    'Run this with the TERN_SECRET and the version of the app, with clocks that agree, and let the proxy pass all headers on.',
  )

/** Each proxy appends the address of whoever called it, or replaces the header; the invented address comes first. */
export function judgeProxies({ address, forwarded }: SeenCaller, trusted: number, hasTls: boolean): SetupFinding {
  const appended = forwarded[0] === inventedAddress ? forwarded.slice(1) : forwarded
  if (address === inventedAddress) {
    const count = appended.length
    const todo =
      count === 0
        ? 'Let the proxy set X-Forwarded-For itself instead of passing on what callers send.'
        : `Set TRUSTED_PROXIES=${count}.`
    return fault('The app believes an address that the caller invented.', todo)
  }
  if (appended.length === trusted) {
    if (trusted > 0 || !hasTls) return ok(`The app sees the caller as ${address}, behind ${proxyText(trusted)}.`)
    const todo = 'Let the proxy set X-Forwarded-For, and set TRUSTED_PROXIES=1.'
    return fault(`The proxy does not forward the caller's address: the app sees ${address} for everyone.`, todo)
  }
  const found = `${proxyText(appended.length)} forward the address, and TRUSTED_PROXIES is ${trusted}: the app sees ${address}.`
  const todo = appended.length === 0 ? 'Let the proxy set X-Forwarded-For.' : `Set TRUSTED_PROXIES=${appended.length}.`
  return fault(found, todo)
}

const proxyText = (count: number): string => (count === 1 ? '1 proxy' : `${count} proxies`)

async function checkEvents({ config, machine }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { publicUrl, secret } = config
  try {
    const { status, firstMs, endMs } = await visit(publicUrl + streamProbePath, signProbe(secret, machine.now()))
    if (status !== 200) return [unansweredProbe(status)]
    if (endMs - firstMs > streamPauseMs / 2) return [ok('Events arrive as the app sends them.')]
    const todo = 'Switch off buffering for /api/events in the proxy, as docs/nginx.conf does.'
    return [fault('The proxy keeps events back until the stream ends.', todo)]
  } catch (error) {
    return [notChecked(`${publicUrl} does not answer (${describeVisitError(error)}).`, seeCertificate)]
  }
}

export const publicAddressChecks: readonly Check[] = [
  { name: 'public.certificate', tried: 'Connects to PUBLIC_URL with TLS.', run: checkCertificate },
  { name: 'public.ciphers', tried: 'Connects to PUBLIC_URL with weak suites of TLS 1.2 only.', run: checkCiphers },
  { name: 'public.headers', tried: 'Requests /healthz at PUBLIC_URL.', run: checkHeaders },
  { name: 'public.redirect', tried: 'Requests the name of PUBLIC_URL without TLS.', run: checkRedirect },
  {
    name: 'public.proxies',
    tried: 'Sends an invented X-Forwarded-For to PUBLIC_URL, and asks the app for the address it sees.',
    run: checkProxies,
  },
  { name: 'public.events', tried: 'Reads a short event stream through PUBLIC_URL.', run: checkEvents },
]
