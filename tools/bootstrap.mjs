// First step of every command, in plain JavaScript for any Node: installs what is missing and continues under the Node
// from npm.

import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Oldest Node that installs the packages and starts the other. */
const oldestNode = [20]
/** Oldest Node that runs the product. @types/node is of this version, so that nothing newer passes the type checker. */
const neededNode = [24, 0]
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Runs a TypeScript file of the project, installing what is missing, and exits with its code.
 * @param {string} file below the project's folder
 * @param {string[]} [parameters]
 */
export function runFile(file, parameters = process.argv.slice(2)) {
  if (!isAtLeast(process.versions.node, oldestNode)) {
    fail(`Tern needs Node ${oldestNode.join('.')} or newer to begin with; this is Node ${process.versions.node}.`)
  }
  if (!isInstalled()) install()
  const child = spawn(findNode(), [path.join(root, file), ...parameters], {
    cwd: root,
    // Caching compiled code halves startup time.
    env: { NODE_COMPILE_CACHE: path.join(root, '.cache', 'node'), ...process.env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  const unwatch = whenNpmIsGone(() => child.kill('SIGTERM'))
  child.on('error', (error) => fail(`${file} could not be started: ${error.message}`))
  child.on('exit', (code, signal) => {
    unwatch()
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143)
  })
}

/**
 * npm runs scripts in a shell, which a signal may end without reaching the script.
 * @param {() => void} act
 * @returns {() => void} ends the watch
 */
function whenNpmIsGone(act) {
  if (process.env.npm_lifecycle_event === undefined) return () => {}
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    act()
  }, 250)
  return () => clearInterval(timer)
}

/** Whether every package this machine needs is installed in its locked version. */
function isInstalled() {
  const installed = readPackages(path.join(root, 'node_modules', '.package-lock.json'))
  const wanted = readPackages(path.join(root, 'package-lock.json'))
  if (installed === undefined || wanted === undefined) return false
  return Object.entries(wanted).every(([place, { version, integrity, optional, link }]) => {
    if (!place.startsWith('node_modules/') && !place.includes('/node_modules/')) return true
    const found = installed[place]
    if (found === undefined) return optional === true
    return found.version === version && found.integrity === integrity && found.link === link
  })
}

function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

function install() {
  console.log('Installing what Tern needs (once, about a minute) …')
  const npm = process.env.npm_execpath
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []]
  const flags = ['ci', '--include=dev', '--include=optional', '--no-fund', '--no-audit', '--loglevel=error']
  const result = spawnSync(command, [...first, ...flags], { cwd: root, stdio: 'inherit' })
  if (result.error) fail(`npm could not be started: ${result.error.message}`)
  if (result.status !== 0) fail('The packages could not be installed; what npm said stands above.')
}

/** A Node that runs the product: the one from npm, or this one where it is new enough and reads TypeScript. */
function findNode() {
  const installed = path.join(root, 'node_modules', '.bin', 'node')
  const { status, stdout } = spawnSync(installed, ['--version'], { encoding: 'utf8' })
  if (status === 0 && isAtLeast(stdout.trim().slice(1), neededNode)) return installed
  const needed = `Tern runs on Node ${neededNode.join('.')} or newer, and npm has none for ${process.platform}-${process.arch}`
  const own = process.versions.node
  if (!isAtLeast(own, neededNode)) return fail(`${needed}. This is Node ${own}: install a newer one and try again.`)
  // Some distributions build Node without it.
  if (!process.features.typescript) return fail(`${needed}. This Node ${own} was built without support for TypeScript.`)
  return process.execPath
}

/**
 * Whether a version such as `24.2.0` is this one or newer; parts that are not given count as 0.
 * @param {string} version
 * @param {number[]} oldest major, minor
 */
function isAtLeast(version, oldest) {
  const parts = version.split('.').map(Number)
  const different = oldest.findIndex((part, index) => parts[index] !== part)
  return different === -1 || parts[different] > oldest[different]
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
