// Builds the web and the desk if the contents of their sources have changed, regardless of file times.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { StartError } from './data-folder.ts'
import { isMain } from '../../packages/server/src/platform/runtime/is-main.ts'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = [
  'packages/desk',
  'packages/web',
  'packages/contract/src',
  'packages/drawing/src',
  'packages/messages/src',
  'packages/money/src',
  'packages/transparency/src',
  'package-lock.json',
]
const generatedFolders = new Set(['build', '.react-router', 'node_modules'])
const stampFile = path.join(root, '.cache', 'web-build.json')
const buildFolders = ['packages/web/build', 'packages/desk/build'].map((folder) => path.join(root, folder))
const messages = path.join(root, 'packages', 'messages', 'src')

function languageFolders(): string[] {
  return fs
    .readdirSync(messages)
    .map((name) => path.join(messages, name))
    .filter((folder) => fs.existsSync(path.join(folder, 'language.ts')))
}

/** Builds the web in all languages and the desk in parallel, if needed; shows output only on failure. */
export async function buildWeb(log: (sentence: string) => void): Promise<void> {
  const stamp = hashSources()
  if (buildFolders.every((folder) => fs.existsSync(folder)) && readStamp() === stamp) return
  log('Building the web …')
  fs.rmSync(stampFile, { force: true })
  for (const folder of buildFolders) fs.rmSync(folder, { recursive: true, force: true })
  const results = await Promise.allSettled([
    ...languageFolders().map((folder) => buildLanguage(folder)),
    runBuild('packages/desk'),
  ])
  for (const result of results) if (result.status === 'rejected') throw result.reason
  fs.mkdirSync(path.dirname(stampFile), { recursive: true })
  fs.writeFileSync(stampFile, JSON.stringify({ stamp }))
}

/** Builds the web with the texts of `folder`, into `build` or else the default folder of that language. */
export function buildLanguage(folder: string, build?: string): Promise<void> {
  return runBuild('packages/web', { WEB_LANGUAGE: folder, ...(build === undefined ? {} : { WEB_BUILD: build }) })
}

/** Builds a package, showing output only on failure. */
async function runBuild(folder: string, environment: Readonly<Record<string, string>> = {}): Promise<void> {
  const npm = process.env.npm_execpath
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  try {
    await execute(command, [...first, 'run', 'build', '--workspace', folder], {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production', ...environment },
      maxBuffer: 100_000_000,
    })
  } catch (error) {
    const { message, stdout, stderr } = error as Error & { stdout?: string; stderr?: string }
    throw new StartError(`The web could not be built.\n${stdout || stderr ? `${stdout}\n${stderr}` : message}`)
  }
}

function readStamp(): string | undefined {
  if (!fs.existsSync(stampFile)) return undefined
  return (JSON.parse(fs.readFileSync(stampFile, 'utf8')) as { stamp: string }).stamp
}

function hashSources(): string {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const file of listFiles(path.join(root, source))) {
      hash
        .update(`${path.relative(root, file)}\0`)
        .update(fs.readFileSync(file))
        .update('\0')
    }
  }
  return hash.digest('hex')
}

function listFiles(place: string): string[] {
  if (fs.statSync(place).isFile()) return [place]
  const entries = fs.readdirSync(place, { withFileTypes: true }).filter(({ name }) => !generatedFolders.has(name))
  return entries.flatMap(({ name }) => listFiles(path.join(place, name))).toSorted()
}

if (isMain(import.meta)) await buildWeb(console.log)
