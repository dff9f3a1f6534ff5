import type { Plugin } from 'vite'

/**
 * Lets the parts of the router that no page uses be dropped. Its components have names for debugging, and are made by calls that
 * might do anything, so a bundler keeps them.
 */
export const shakeableRouter = (): Plugin => ({
  name: 'shakeable-router',
  applyToEnvironment: ({ name }) => name === 'client',
  transform: {
    filter: { id: /react-router\/dist\/production\/lib\/(context|dom\/lib|dom\/ssr\/components)\.js/ },
    handler(code) {
      return code
        .replaceAll(/^\w+\.displayName = "[^"]*";$/gm, '')
        .replaceAll(/^const (\w+) = (React\$1\.(?:forwardRef|createContext)\()/gm, 'const $1 = /* @__PURE__ */ $2')
    },
  },
})
