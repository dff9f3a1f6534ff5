/** Loads the WebAuthn library with the first passkey that is asked for: it takes 16 MB in every process that holds it. */
export const loadWebauthn = () => import('@simplewebauthn/server')
