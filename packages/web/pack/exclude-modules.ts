import type { Plugin } from 'vite'

/**
 * Replaces modules of a library in browser code, even if the rest of the library imports them: each of their exports
 * becomes `replacement`.
 */
export const excludeModules = (modules: RegExp, replacement: 'undefined' | '() => undefined'): Plugin => ({
  name: `leave-out-${replacement}`,
  applyToEnvironment: ({ name }) => name === 'client',
  transform: {
    filter: { id: modules },
    handler(code, id) {
      const names = /^export \{([^}]*)\}/m.exec(code)?.[1]?.split(',')
      if (names === undefined) throw new Error(`${id} has no list of exports.`)
      return names.map((name) => `export const ${name.trim()} = ${replacement}`).join('\n')
    },
  },
})
