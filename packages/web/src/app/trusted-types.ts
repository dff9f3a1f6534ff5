interface Policy {
  createHTML: (html: string) => string
  createScript: () => string
}

declare global {
  interface Window {
    trustedTypes?: { createPolicy: (name: string, policy: Policy) => unknown }
  }
}

/** Runs by itself at the head of a page, so it refers to nothing around it. */
function trustNothing() {
  const empty = '<script></script>'
  window.trustedTypes?.createPolicy('default', {
    createHTML: (html) => (html === empty ? html : ''),
    createScript: () => '',
  })
}

/**
 * The page's policy forbids to make elements of text. React does so with the scripts of a page that it makes anew, because
 * it found another than was built (a translator or an extension had changed it), and the page would stay empty. An empty
 * script is all that it gets, and does not run; any other text becomes none.
 * https://developer.mozilla.org/docs/Web/API/Trusted_Types_API#the_default_policy
 */
export const trustedTypesPolicy = () => `(${trustNothing.toString()})()`
