// Rules for third-party material: its licence is allowed, NOTICE names it, and bundled.ts lists its files. Each returns
// a sentence per violation.

import path from 'node:path'
import type { BundledPart } from './bundled.ts'
import type { NpmPackage } from './lock.ts'

/** Permissive licences, and the MPL, whose copyleft is limited to the file. */
const allowedForCode = new Set([
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'MPL-2.0'],
  ...['PostgreSQL', 'PSF-2.0', 'Python-2.0', 'Unlicense', 'Zlib'],
])

/** Further licences for data and typefaces; NOTICE names the source of each. */
const allowedForData = new Set([
  'CC0-1.0',
  'CC-BY-4.0',
  'CC-BY-SA-3.0',
  'LicenseRef-ISO-20022-IPR',
  'LicenseRef-public-domain',
  'NAIST-2003',
  'OFL-1.1',
])

function isAllowed(expression: string, allowed: (licence: string) => boolean): boolean {
  const choices = expression.replaceAll(/[()]/g, '').split(' OR ')
  return choices.some((choice) => choice.split(' AND ').every(allowed))
}

/** Checks that every licence is allowed; licences for data only for bundled parts and packages that contain one. */
export function licencesAreAllowed(packages: readonly NpmPackage[], bundled: readonly BundledPart[]): string[] {
  const dataPackages = new Set(bundled.map(({ npm }) => npm))
  const isAllowedForData = (licence: string) => allowedForCode.has(licence) || allowedForData.has(licence)
  return [
    ...packages.flatMap(({ name, licence }) => {
      if (licence === undefined) return [`${name}: declares no licence.`]
      const isPermitted = isAllowed(
        licence,
        dataPackages.has(name) ? isAllowedForData : (each) => allowedForCode.has(each),
      )
      return isPermitted ? [] : [`${name}: its licence ${licence} is not on the list.`]
    }),
    ...bundled
      .filter(({ licence }) => !isAllowed(licence, isAllowedForData))
      .map(({ name, licence }) => `${name}: its licence ${licence} is not on the list.`),
  ]
}

const packagesTitle = 'npm packages of a production installation, by licence:'

/** Returns NOTICE's list of npm packages; `node tools/run.mjs tools/licences notice` writes it. */
export function packageList(packages: readonly NpmPackage[]): string {
  const groups = new Map<string, Set<string>>()
  for (const { name, licence = 'none' } of packages) {
    groups.set(licence, (groups.get(licence) ?? new Set()).add(name))
  }
  const lines = [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([licence, names]) => `\n${licence}\n${Array.from(names, (name) => `    ${name}\n`).join('')}`)
  return `${packagesTitle}\n${lines.join('')}`
}

/** Returns NOTICE with an updated list of packages, which is its last section. */
export const replacePackageList = (notice: string, packages: readonly NpmPackage[]): string =>
  (notice.split(packagesTitle)[0] ?? '') + packageList(packages)

/** Returns the entries of a package list, each with its licence. */
function listEntries(list: string): string[] {
  const packageEntries: string[] = []
  let licence = ''
  for (const line of list.split('\n')) {
    if (line.startsWith('    ')) packageEntries.push(`${line.trim()} under ${licence}`)
    else if (line !== '') licence = line
  }
  return packageEntries
}

/** Checks that NOTICE names every bundled part with its source, and every package under exactly its licence. */
export function noticeIsComplete(
  notice: string,
  packages: readonly NpmPackage[],
  bundled: readonly BundledPart[],
): string[] {
  const [parts = '', list = ''] = notice.split(packagesTitle)
  const missing = bundled
    .filter(({ name, source, npm = name }) => ![name, source, npm].every((word) => parts.includes(word)))
    .map(({ name, source, npm }) => `NOTICE: names ${name} not with ${[source, npm].filter(Boolean).join(' and ')}.`)
  const wanted = listEntries(packageList(packages).slice(packagesTitle.length))
  const noticeEntries = listEntries(list)
  const hint = '; `node tools/run.mjs tools/licences notice` brings the list up to date.'
  return [
    ...missing,
    ...wanted.filter((each) => !noticeEntries.includes(each)).map((each) => `NOTICE: lacks ${each}${hint}`),
    ...noticeEntries
      .filter((each) => !wanted.includes(each))
      .map((each) => `NOTICE: names ${each}, which is not there${hint}`),
  ]
}

const isText =
  /\.(ts|tsx|mjs|js|py|tlog-proof|sql|css|md|html|conf|sh|ya?ml)$|(^|\/)[^./]+$|(^|\/)\.[^/]*$|\/?(package|package-lock|tsconfig[\w.]*)\.json$/
const createMatcher = (pattern: string) => (file: string) =>
  pattern.endsWith('*') ? file.startsWith(pattern.slice(0, -1)) : file === pattern

/**
 * Checks that every file that is neither code nor text is listed as third-party material or as the project's own, and
 * that every listed pattern covers a file.
 */
export function filesHaveOwners(
  files: readonly string[],
  bundled: readonly BundledPart[],
  ownFiles: readonly string[],
): string[] {
  const patterns = [...bundled.flatMap((each) => each.files ?? []), ...ownFiles]
  const filesWithoutOwner = files.filter(
    (file) => !isText.test(file) && !patterns.some((pattern) => createMatcher(pattern)(file)),
  )
  const unusedPatterns = patterns.filter((pattern) => !files.some(createMatcher(pattern)))
  return [
    ...filesWithoutOwner.map((file) => `${path.posix.normalize(file)}: is in no list of tools/licences/bundled.ts.`),
    ...unusedPatterns.map((pattern) => `tools/licences/bundled.ts: ${pattern} covers no file.`),
  ]
}
