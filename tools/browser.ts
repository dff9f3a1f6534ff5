// The browser for journeys, screens and measurements: CHROMIUM_PATH, the system's, or npm's Chromium with its
// libraries.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Browser {
  executablePath: string
  args: string[]
  env?: Record<string, string>
}

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

// Chromium's sandbox does not start as root or in most containers.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Playwright launch options. BROWSER=npm prefers the one from npm. */
export async function findBrowser(): Promise<Browser> {
  const given = process.env.CHROMIUM_PATH
  if (given !== undefined && !fs.existsSync(given))
    throw new Error(`CHROMIUM_PATH names ${given}, which does not exist.`)
  const system = given ?? places.find((place) => fs.existsSync(place))
  if (system !== undefined && process.env.BROWSER !== 'npm') return { executablePath: system, args }
  return browserFromNpm()
}

// Not the package's own arguments, which disable web security and would invalidate tests.
async function browserFromNpm(): Promise<Browser> {
  const { default: chromium, inflate } = await import('@sparticuz/chromium')
  const archive = new URL('../node_modules/@sparticuz/chromium/bin/al2023.tar.br', import.meta.url)
  const libraries = await inflate(fileURLToPath(archive))
  const environment = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const libraryPath = [path.join(libraries, 'lib'), path.join(os.tmpdir(), 'al2023', 'lib')].join(':')
  return {
    executablePath: await chromium.executablePath(),
    args,
    env: { ...Object.fromEntries(environment), LD_LIBRARY_PATH: libraryPath },
  }
}
