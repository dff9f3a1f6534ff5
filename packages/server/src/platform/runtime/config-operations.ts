import { type Environment, ConfigError, isLocal, readPort, readUrl } from './config-values.ts'

/** How the processes are run, watched and stopped. */
export interface OperationsConfig {
  /** A port for metrics, health and the API reference alone; without one they need the token. */
  readonly admin: { readonly port: number; readonly host: string } | undefined
  /** The origin under which operators reach their desk, which is on the admin port. */
  readonly deskUrl: string
  /** Opens metrics and the API reference on the public port. */
  readonly adminToken: string | undefined
  /** Names in the Host header that are answered, besides that of PUBLIC_URL; lower case, without port. */
  readonly allowedHosts: readonly string[]
  /** How long a stopping process goes on serving while `/readyz` says that it stops. */
  readonly lameDuckMs: number
}

/** What this machine calls itself. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
const longestLameDuckSeconds = 600
const shortestToken = 24

/** Reads the settings of an operator. Throws ConfigError naming a variable that is not usable. */
export function readOperations(environment: Environment, mode: 'sandbox' | 'production'): OperationsConfig {
  const port = readPort(environment, 'ADMIN_PORT', undefined)
  const token = environment.ADMIN_TOKEN || undefined
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigError('ADMIN_TOKEN must be one word of plain letters, digits and signs.')
  }
  if (token !== undefined && token.length < shortestToken) {
    throw new ConfigError(`ADMIN_TOKEN must have at least ${shortestToken} characters.`)
  }
  return {
    admin: port === undefined ? undefined : { port, host: environment.ADMIN_HOST || '127.0.0.1' },
    deskUrl: readDeskUrl(environment, port),
    adminToken: token,
    allowedHosts: [...(mode === 'sandbox' ? loopbackNames : []), ...readHosts(environment)],
    lameDuckMs: readLameDuckSeconds(environment, mode === 'sandbox' ? 0 : 10) * 1000,
  }
}

/** Passkeys belong to one name, and browsers give them only to secure pages and to this machine. */
function readDeskUrl(environment: Environment, adminPort: number | undefined): string {
  const url = readUrl(environment, 'DESK_URL', ['http:', 'https:'])
  if (url && (url.pathname !== '/' || url.search !== '')) {
    throw new ConfigError('DESK_URL must be an origin without a path, such as https://desk.tern.example.')
  }
  if (url && url.protocol !== 'https:' && !isLocal(url)) {
    throw new ConfigError('DESK_URL must begin with https:// unless it is on this machine.')
  }
  return url?.origin ?? (adminPort === undefined ? 'http://localhost' : `http://localhost:${adminPort}`)
}

function readHosts(environment: Environment): string[] {
  const names = (environment.ALLOWED_HOSTS ?? '').split(',').map((name) => name.trim().toLowerCase())
  return names.filter(Boolean).map((name) => {
    if (/^([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])$/.test(name)) return name
    throw new ConfigError(
      `ALLOWED_HOSTS must be names without port, such as tern.example, www.tern.example, not "${name}".`,
    )
  })
}

function readLameDuckSeconds(environment: Environment, fallback: number): number {
  const text = environment.LAME_DUCK_SECONDS
  if (text === undefined || text === '') return fallback
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : Infinity // not money: seconds
  if (seconds > longestLameDuckSeconds) {
    throw new ConfigError(
      `LAME_DUCK_SECONDS must be a whole number from 0 to ${longestLameDuckSeconds}, not "${text}".`,
    )
  }
  return seconds
}
