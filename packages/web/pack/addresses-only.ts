import type { Plugin } from 'vite'

/** What a browser needs of an endpoint: it sends what the types allow, and the server checks it. */
const neededNames = new Set(['method', 'path'])

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

interface Call extends Node {
  readonly callee: Node & { readonly name?: string }
  readonly arguments: readonly (Node & { readonly properties?: readonly Property[] })[]
}

interface Property extends Node {
  readonly key?: { readonly name?: string }
}

interface Declaration extends Node {
  readonly declaration?: { readonly declarations?: readonly { readonly init?: Node | null }[] }
}

const isEndpointCall = (node: Node | null | undefined): node is Call =>
  node?.type === 'CallExpression' && (node as Call).callee.name === 'endpoint'

/**
 * Leaves of the contract's endpoints only method and path in what is sent to browsers: schemas, refusals and words for the
 * reference stay at home. Schemas that a page uses by name, to check a form, are sent with that page.
 */
export const addressesOnly = (): Plugin => ({
  name: 'addresses-only',
  applyToEnvironment: (environment) => environment.name === 'client',
  transform: {
    filter: { id: /packages\/contract\/src\/(?:\w+\/)?[\w-]+\.ts$/ },
    handler(code) {
      const statements = this.parse(code).body as unknown as readonly Declaration[]
      const calls = statements.flatMap(({ declaration }) =>
        (declaration?.declarations ?? []).map(({ init }) => init).filter(isEndpointCall),
      )
      const unused = calls
        .flatMap((call) => call.arguments[0]?.properties ?? [])
        .filter(({ key }) => !neededNames.has(key?.name ?? ''))
      let rest = code
      for (const { start, end } of unused.toReversed()) {
        const after = rest.slice(end).replace(/^\s*,/, '')
        rest = rest.slice(0, start) + after
      }
      return { code: rest, map: null, moduleSideEffects: false }
    },
  },
})
