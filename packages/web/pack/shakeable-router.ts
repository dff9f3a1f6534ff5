import type { Plugin } from 'vite'

/**
 * Lets bundlers drop unused parts of the router: removes debugging names, and marks `forwardRef` and `createContext`
 * calls as pure.
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
