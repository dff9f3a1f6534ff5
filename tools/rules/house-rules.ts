// House rules beyond compiler and linter, each returning one sentence per violation. house-rules.test.ts applies them
// and proves that each detects violations.

import path from 'node:path'
import { features } from '../../packages/server/src/features/list.ts'

export interface SourceFile {
  /** Relative to the project folder, with forward slashes. */
  path: string
  text: string
}

type Rule = (files: readonly SourceFile[]) => string[]

/** Allowed imports per package. Without `externalPackages`, packages outside the project are not limited. */
const packages: Record<string, { workspacePackages: string[]; externalPackages?: string[] }> = {
  'api-client': { workspacePackages: [], externalPackages: ['openapi-typescript'] },
  money: { workspacePackages: [], externalPackages: [] },
  messages: { workspacePackages: ['money'], externalPackages: [] },
  drawing: { workspacePackages: [], externalPackages: [] },
  transparency: { workspacePackages: [], externalPackages: ['@noble/ed25519', '@noble/hashes'] },
  witness: { workspacePackages: ['transparency'], externalPackages: ['node:'] },
  ledger: { workspacePackages: ['money'], externalPackages: ['pg', 'node:'] },
  providers: { workspacePackages: ['money'] },
  contract: { workspacePackages: ['drawing', 'messages', 'money'], externalPackages: ['zod'] },
  server: { workspacePackages: ['money', 'ledger', 'providers', 'drawing', 'contract', 'messages', 'transparency'] },
  web: { workspacePackages: ['drawing', 'contract', 'messages', 'money', 'transparency'] },
  desk: { workspacePackages: ['web', 'contract', 'messages'] },
  sandbox: { workspacePackages: [] },
  testkit: { workspacePackages: ['money', 'providers', 'contract', 'sandbox', 'server', 'transparency', 'witness'] },
}

/** Files that other features may import, besides the one named like the feature and its row types. */
const extraPublicFiles: Record<string, string[]> = {
  wallets: ['audit-rules.ts', 'description.ts', 'move.ts'],
}

const isTest = ({ path: file }: SourceFile) => /\.(test|journey|spec)\.tsx?$/.test(file)
const isCode = ({ path: file }: SourceFile) => /\.(ts|tsx|mjs)$/.test(file)
const packageName = (file: string) => /^packages\/([^/]+)\//.exec(file)?.[1]

export interface Import {
  file: string
  specifier: string
  /** Target of a relative import, as a path from the project folder. */
  target: string | undefined
  /** The import contains only types. */
  isType: boolean
}

/** Returns all imports, re-exports and dynamic imports of a file. */
export function listImports({ path: file, text }: SourceFile): Import[] {
  const fromImportPattern = /^\s*(?:import|export)\s+(type\s)?([\w\s{},*$]*?)\bfrom\s+['"]([^'"\n]+)['"]/gm
  const bareImportPattern = /^\s*import\s+['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]/gm
  const resolve = (specifier: string, isType: boolean): Import => {
    const target = specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : undefined
    return { file, specifier, target, isType }
  }
  const areTypes = (names: string) => /^\{(\s*type\s[^,}]+,?)+\s*\}\s*$/.test(names)
  return [
    ...[...text.matchAll(fromImportPattern)].map(([, type, names = '', specifier = '']) =>
      resolve(specifier, type !== undefined || areTypes(names)),
    ),
    ...[...text.matchAll(bareImportPattern)].map(([, declared, dynamic]) => resolve(declared ?? dynamic ?? '', false)),
  ]
}

export const importsBetweenPackages: Rule = (files) =>
  files
    .filter((file) => isCode(file) && packageName(file.path) !== undefined)
    .flatMap((file) => listImports(file).flatMap((each) => checkImport(each, isTest(file))))

function checkImport({ file, specifier, target }: Import, isTestFile: boolean): string[] {
  const name = packageName(file) ?? ''
  const allowed = packages[name]
  if (allowed === undefined) return [`${file}: the package ${name} has no line in the table of who may import whom.`]
  const breach = [`${file}: ${name} may not import ${specifier}.`]
  if (target !== undefined) {
    const isSamePackage = target.startsWith(`packages/${name}/`)
    // Programs that npm links to (bin/) start through tools/bootstrap.mjs, as every command does.
    const canUseTools = isTestFile || name === 'testkit' || file.startsWith('packages/server/bin/')
    const isToolFile = target.startsWith('tools/') || (name === 'testkit' && target.startsWith('simulation/'))
    return isSamePackage || (canUseTools && isToolFile) ? [] : breach
  }
  const workspaceName = /^@tern\/([^/]+)/.exec(specifier)?.[1]
  if (workspaceName !== undefined)
    return allowed.workspacePackages.includes(workspaceName) || (isTestFile && workspaceName === 'testkit')
      ? []
      : breach
  if (allowed.externalPackages === undefined || isTestFile) return []
  return allowed.externalPackages.some(
    (other) => specifier === other || specifier.startsWith(other.replace(/[^:]$/, '$&/')),
  )
    ? []
    : breach
}

const order: readonly string[] = features

export const importsBetweenFeatures: Rule = (files) =>
  files.filter(isCode).flatMap((file) =>
    listImports(file).flatMap(({ specifier, target }) => {
      const from = /^packages\/(server|web)\/src\/features\/([^/]+)\//.exec(file.path)
      const to = /^packages\/(server|web)\/src\/features\/([^/]+)\/(.+)$/.exec(target ?? '')
      if (!from || !to || from[2] === to[2]) return []
      const [importingFeature, importedFeature, importedFile] = [from[2] ?? '', to[2] ?? '', to[3] ?? '']
      if (from[1] === 'web') return [`${file.path}: web features do not import one another (${specifier}).`]
      const place = order.indexOf(importedFeature)
      if (place === -1 || place >= order.indexOf(importingFeature)) {
        return [`${file.path}: ${importedFeature} does not stand left of ${importingFeature} (${specifier}).`]
      }
      const isPublicFile =
        importedFile === `${importedFeature}.ts` ||
        importedFile === 'row-types.ts' ||
        extraPublicFiles[importedFeature]?.includes(importedFile)
      return isPublicFile ? [] : [`${file.path}: ${specifier} is not the door of ${importedFeature}.`]
    }),
  )

const featureFiles = {
  'feature.ts': 'its manifest',
  'tables.ts': 'a row for each of its tables',
  'schema.sql': 'its tables',
}

/** Every feature folder of the server is in features/list.ts and has the files in `featureFiles`. */
export const featuresAreListed: Rule = (files) => {
  const base = 'packages/server/src/features/'
  const folders = new Set(files.flatMap(({ path: file }) => new RegExp(`^${base}([^/]+)/`).exec(file)?.[1] ?? []))
  return [...folders].flatMap((name) => {
    if (!order.includes(name)) return [`${base}${name}: add ${name} to ${base}list.ts.`]
    return Object.entries(featureFiles)
      .filter(([file]) => !files.some((candidate) => candidate.path === `${base}${name}/${file}`))
      .map(([file, content]) => `${base}${name}: add ${file}, ${content}.`)
  })
}

const hasExcuse = (line: string | undefined) => line !== undefined && /\/\/ not money: \w/.test(line)

/** Floating point near money needs `// not money: …` on the line or above it. */
export const noFloatingPointNearMoney: Rule = (files) =>
  files
    .filter((file) => ['money', 'ledger', 'contract', 'server'].includes(packageName(file.path) ?? ''))
    .filter((file) => isCode(file) && !isTest(file))
    .flatMap(({ path: file, text }) => {
      const lines = text.split('\n')
      return lines.flatMap((line, index) => {
        const code = line.replace(/^\s*\*.*$|\/\/.*$/, '')
        const match = /\bNumber\(|\bparse(Float|Int)\b|\.to(Fixed|Precision)\(|\bMath\.(round|floor|ceil|trunc)\b/.exec(
          code,
        )
        if (!match || hasExcuse(line) || hasExcuse(lines[index - 1])) return []
        return [`${file}:${index + 1}: ${match[0]} near money; if it never touches money, say "// not money: why".`]
      })
    })

/** Refuses default exports, which have no searchable name, except where a framework requires them. */
export const noDefaultExports: Rule = (files) => {
  const routes = files.find(({ path: file }) => file === 'packages/web/src/routes.ts')?.text ?? ''
  const isRequired = (file: string) =>
    routes.includes(`'${file.replace('packages/web/src/', '')}'`) ||
    /^packages\/web\/src\/(root|routes|entry\.\w+)\.tsx?$|\.config\.ts$/.test(file) ||
    ['tools/journey-setup.ts', 'packages/testkit/src/database-server.ts'].includes(file)
  return files
    .filter(
      (file) =>
        isCode(file) && !isRequired(file.path) && /^export default\b|^export \{[^}]*\bas default\b/m.test(file.text),
    )
    .map(({ path: file }) => `${file}: has a default export and is no route.`)
}

// Split so that this file does not violate its own rule.
const taskMarker = /\b(TO(?:DO)|FIX(?:ME))\b/
const disabledTest = /\b(test|it|describe|suite)(\.\w+)*\.(only|skip|todo|fixme)\b/

export const noTaskMarkers: Rule = (files) =>
  files
    .filter((file) => isCode(file) || /\.(sql|css|md|json)$/.test(file.path))
    .flatMap(({ path: file, text }) =>
      text.split('\n').flatMap((line, index) => {
        const match = taskMarker.exec(line) ?? (/\.tsx?$/.test(file) ? disabledTest.exec(line) : null)
        return match ? [`${file}:${index + 1}: ${match[0]}`] : []
      }),
    )

/** Every relative link in a document points to a project file or folder. */
export const docLinksResolve: Rule = (files) => {
  const places = new Set(files.flatMap(({ path: file }) => listParents(file)))
  return files
    .filter(({ path: file }) => file.endsWith('.md'))
    .flatMap(({ path: file, text }) => {
      const outsideCode = text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
      const links = [...outsideCode.matchAll(/\]\(([^)\s]+)[^)]*\)|(?:src|href)="([^"]+)"/g)].map(
        ([, a, b]) => a ?? b ?? '',
      )
      return links
        .filter((link) => !/^([a-z]+:|#|\/\/)/.test(link))
        .filter(
          (link) => !places.has(path.posix.join(path.posix.dirname(file), link.replace(/#.*$/, '')).replace(/\/$/, '')),
        )
        .map((link) => `${file}: ${link} leads nowhere.`)
    })
}

/**
 * Project files and folders named in backticks in documents exist. Paths starting with a project folder are resolved
 * from the root; other source file names may be the end of a path, as in `features/x/y.ts`.
 */
export const namedFilesExist: Rule = (files) => {
  const places = [...new Set(files.flatMap(({ path: file }) => listParents(file)))]
  const roots = new Set(places.filter((place) => place !== '.' && !place.includes('/')))
  return files
    .filter(({ path: file }) => file.endsWith('.md') && file !== 'CHANGELOG.md')
    .flatMap(({ path: file, text }) => {
      const spans = [...text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/`([^`\n]+)`/g)]
      const names = spans.map(([, span = '']) => span.replace(/\/$/, ''))
      return names
        .filter((name) => /^[\w.*-]+(\/[\w.*-]+)*$/.test(name))
        .filter((name) => {
          const isFromRoot = name.includes('/') && roots.has(name.split('/')[0] ?? '')
          if (!isFromRoot && !/\w\.(tsx?|mjs|sql|css)$|^features\//.test(name)) return false
          const pattern = name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')
          const isNamed = new RegExp(`${isFromRoot ? '^' : '(^|/)'}${pattern}$`)
          return !places.some((place) => isNamed.test(place))
        })
        .map((name) => `${file}: \`${name}\` does not exist.`)
    })
}

function listParents(file: string): string[] {
  const parent = path.posix.dirname(file)
  return parent === '.' ? ['.', file] : [file, ...listParents(parent)]
}

export const pinnedVersions: Rule = (files) =>
  files
    .filter(({ path: file }) => path.posix.basename(file) === 'package.json')
    .flatMap(({ path: file, text }) => {
      const manifest = JSON.parse(text) as Record<string, Record<string, string> | undefined>
      return ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) =>
        Object.entries(manifest[kind] ?? {})
          .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
          .map(([name, version]) => `${file}: ${name} is not pinned (${version}).`),
      )
    })

/** Every contract file with an `endpoint({…})` is imported by the list of all endpoints. */
export const endpointsAreListed: Rule = (files) => {
  const list = files.find(({ path: file }) => file === 'packages/contract/src/endpoints.ts')
  const listedFeatures = list ? listImports(list).map(({ target }) => target) : []
  return declaredEndpoints(files)
    .filter(({ file }) => !listedFeatures.includes(file))
    .map(({ file, name }) => `${file}: ${name} is missing from allEndpoints.`)
}

/** Every endpoint, by object or address, occurs in a test, a journey or the testkit. */
export const endpointsAreCalled: Rule = (files) => {
  const tests = files.filter((file) => isTest(file) || file.path.startsWith('packages/testkit/'))
  return declaredEndpoints(files)
    .filter(({ name, address }) => {
      const importPattern = new RegExp(
        `\\{[^}]*\\b${name}\\b[^}]*\\} (from '@tern/contract/|= allEndpoints)|allEndpoints\\.${name}\\b`,
      )
      const callPattern = new RegExp(`/api${address.replaceAll(/:\w+/g, `[^/'"\`]+`)}/?['"\`?]`)
      return !tests.some(({ text }) => importPattern.test(text) || (address !== '' && callPattern.test(text)))
    })
    .map(({ file, name }) => `${file}: no test calls ${name}.`)
}

function declaredEndpoints(files: readonly SourceFile[]): { file: string; name: string; address: string }[] {
  return files
    .filter(({ path: file }) => file.startsWith('packages/contract/src/'))
    .flatMap(({ path: file, text }) =>
      [...text.matchAll(/^export const (\w+) = endpoint\(\{(?:[^}]*?\bpath: ['"]([^'"]+)['"])?/gm)].map(
        ([, name = '', address = '']) => ({ file, name, address }),
      ),
    )
}

/** Styles use start and end instead of left and right, so that they follow the text direction. */
export const stylesFollowTheText: Rule = (files) =>
  files
    .filter(({ path: file }) => /^packages\/(desk|web)\/src\/.+\.(css|tsx)$/.test(file) && !file.endsWith('/rtl.css'))
    .flatMap(({ path: file, text }) => {
      const pattern = file.endsWith('.css')
        ? /(?<![\w-])((margin|padding|border)-(left|right)|(left|right)(?=:)|(text-align|float|clear): (left|right))\b/g
        : /(?<=className="[^"]*)(?<=["\s:]-?)([mp][lr]-|(border|rounded)-[lr]\b|text-(left|right)\b|(left|right)-)/g
      return [...text.matchAll(pattern)].map(([match]) => `${file}: ${match} does not turn round with the language.`)
    })

/** Every page text is used by shared code, the contract, or a file that imports its catalogue. */
export const messagesAreRead: Rule = (files) => {
  const code = files.filter((file) => isCode(file) && !isTest(file))
  const isShared = (file: string) => /^packages\/(web\/src\/(app|ui)|contract\/src)\//.test(file)
  return code.flatMap(({ path: file, text: catalogue }) => {
    const name = /^packages\/messages\/src\/en\/web\/(.+)$/.exec(file)?.[1]
    if (name === undefined) return []
    const readers = code.filter(({ path: reader, text }) => isShared(reader) || text.includes(`'#messages/${name}'`))
    return [...catalogue.matchAll(/^ {2}(\w+):/gm)]
      .filter(([, key]) => !readers.some(({ text }) => new RegExp(`[.{]\\s*${key}\\b|\\b${key}:|'${key}'`).test(text)))
      .map(([, key]) => `${file}: nobody reads ${key}.`)
  })
}
