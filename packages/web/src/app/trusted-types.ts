interface Policy {
  createHTML: (html: string) => string
  createScript: () => string
}

declare global {
  interface Window {
    trustedTypes?: { createPolicy: (name: string, policy: Policy) => unknown }
  }
}

/** Serialized into the head of a page, so it must not refer to anything outside. */
function createStrictPolicy() {
  const empty = '<script></script>'
  window.trustedTypes?.createPolicy('default', {
    createHTML: (html) => (html === empty ? html : ''),
    createScript: () => '',
  })
}

/**
 * The page's policy forbids creating elements from text. React does so with the scripts of a page that it rebuilds,
 * because the page differs from the built one (changed by a translator or an extension), and the page would stay empty.
 * The policy admits only an empty script, which does not run; any other text becomes empty.
 * https://developer.mozilla.org/docs/Web/API/Trusted_Types_API#the_default_policy
 */
export const trustedTypesPolicy = () => `(${createStrictPolicy.toString()})()`
