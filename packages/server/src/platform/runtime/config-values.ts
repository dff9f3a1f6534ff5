// How single environment variables are read.

/** An unusable environment value; the message is one sentence naming the variable. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConfigError'
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Secrets that keys derive from: a blank trimmed today would make other keys than it made before. */
const keySecrets = /^(TERN_(OLD_)?SECRET(_\d+)?|SANDBOX_SECRET)$/

/** The variables without blanks and line breaks around their values, which files and editors leave there. */
export function trimmedEnvironment(environment: Environment): Environment {
  const trimmed = Object.entries(environment).map(([name, text]) => [name, keySecrets.test(name) ? text : text?.trim()])
  return Object.fromEntries(trimmed) as Environment
}

/** A port number, or `fallback` where the variable is unset. Throws ConfigError. */
export function readPort<F extends number | undefined>(
  environment: Environment,
  name: string,
  fallback: F,
): number | F {
  const text = environment[name]
  if (text === undefined || text === '') return fallback
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1 // not money: a port
  if (port < 1 || port > 65_535) throw new ConfigError(`${name} must be a port number from 1 to 65535, not "${text}".`)
  return port
}

/** One of `choices`. Throws ConfigError. */
export function readChoice<const C extends string>(
  environment: Environment,
  name: string,
  choices: readonly C[],
  fallback: C,
): C {
  const text = environment[name]
  if (text === undefined || text === '') return fallback
  const choice = choices.find((candidate) => candidate === text)
  if (choice === undefined) throw new ConfigError(`${name} must be one of ${choices.join(', ')}, not "${text}".`)
  return choice
}

/** An address with one of these protocols; undefined where the variable is unset. Throws ConfigError. */
export function readUrl(environment: Environment, name: string, protocols: readonly string[]): URL | undefined {
  const text = environment[name]
  if (text === undefined || text === '') return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !protocols.includes(url.protocol)) {
    throw new ConfigError(
      `${name} must be an address that begins with ${protocols.map((p) => (p === 'mailto:' ? p : `${p}//`)).join(' or ')}.`,
    )
  }
  return url
}

/** Whether an address is on this machine. */
export const isLocal = (url: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
