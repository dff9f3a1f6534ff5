import { type ESTree, type Plugin, Visitor } from 'vite'

/** Properties of an endpoint that browsers need: types check the request at build time, and the server validates it. */
const keptNames = new Set(['method', 'path'])

const isNeeded = (property: ESTree.ObjectPropertyKind): boolean =>
  property.type === 'Property' && property.key.type === 'Identifier' && keptNames.has(property.key.name)

/**
 * Strips the contract's endpoints to method and path in browser code; schemas, refusals and reference texts are
 * dropped. Schemas that a page uses by name, to check a form, ship with that page.
 */
export const addressesOnly = (): Plugin => ({
  name: 'addresses-only',
  applyToEnvironment: (environment) => environment.name === 'client',
  transform: {
    filter: { id: /packages\/contract\/src\/(?:\w+\/)?[\w-]+\.ts$/ },
    handler(code) {
      const unusedProperties: ESTree.ObjectPropertyKind[] = []
      new Visitor({
        CallExpression({ callee, arguments: [options] }) {
          if (callee.type !== 'Identifier' || callee.name !== 'endpoint' || options?.type !== 'ObjectExpression') return
          unusedProperties.push(...options.properties.filter((property) => !isNeeded(property)))
        },
      }).visit(this.parse(code))
      let rest = code
      for (const { start, end } of unusedProperties.toReversed()) {
        const after = rest.slice(end).replace(/^\s*,/, '')
        rest = rest.slice(0, start) + after
      }
      return { code: rest, map: null, moduleSideEffects: false }
    },
  },
})
