// Which browser the journeys, screens and measurements use: one named by CHROMIUM_PATH, the system's, or the Chromium
// that comes inside an npm package together with the libraries it needs, for machines that have neither.

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

// Chromium's own sandbox cannot start under root or in most containers; the pages opened here are the product's own.
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

/** Launch options for Playwright. Set BROWSER=npm to take the one from npm although the system has one. */
export async function findBrowser(): Promise<Browser> {
  const given = process.env.CHROMIUM_PATH
  if (given !== undefined && !fs.existsSync(given))
    throw new Error(`CHROMIUM_PATH names ${given}, which does not exist.`)
  const system = given ?? places.find((place) => fs.existsSync(place))
  if (system !== undefined && process.env.BROWSER !== 'npm') return { executablePath: system, args }
  return browserFromNpm()
}

// The package also proposes arguments, but some of them switch web security off: a test that passes then proves nothing.
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
