interface Policy {
  createHTML: (html: string) => string
  createScript: () => string
  createScriptURL: (url: string) => string | null
}

declare global {
  interface Window {
    trustedTypes?: { createPolicy: (name: string, policy: Policy) => unknown }
  }
}

/** Serialized into the head of a page, so it must not use names from outside. */
function createStrictPolicy() {
  const empty = '<script></script>'
  window.trustedTypes?.createPolicy('default', {
    createHTML: (html) => (html === empty ? html : ''),
    createScript: () => '',
    createScriptURL: (url) => (url === '/verify-worker.js' ? url : null),
  })
}

/**
 * Default Trusted Types policy: text that is to become HTML or a script is emptied, except for an empty script element.
 * React creates such an element from text when it rebuilds a page that differs from the built one (changed by a
 * translator or an extension); without this policy, such a page would stay empty. The only address allowed for a script is
 * that of the worker of /verify.
 * https://developer.mozilla.org/docs/Web/API/Trusted_Types_API#the_default_policy
 */
export const trustedTypesPolicy = () => `(${createStrictPolicy.toString()})()`
