import type { createRemoteJWKSet } from 'jose'
import * as oidc from 'openid-client'
import { fault, type Installation, notChecked, ok, type ProviderSetup, type SetupFinding, warning } from '../setup.ts'

interface DiscoveredIssuer {
  readonly client: oidc.Configuration
  readonly keys: Pick<ReturnType<typeof createRemoteJWKSet>, 'reload' | 'jwks'>
}

const discoveryTodo =
  'Compare the issuer with the address in the metadata of the provider, and let this machine reach it.'

/** Error for an invented code, from a provider that knows the client and its secret (RFC 6749, section 5.2). */
const codeRefused = 'invalid_grant'
const clientRefused: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client'])

/** Returns the error code of a refused grant; a challenge for other credentials counts as `invalid_client`. */
function readErrorCode(error: unknown): string | undefined {
  if (error instanceof oidc.ResponseBodyError) return error.error
  return error instanceof oidc.WWWAuthenticateChallengeError ? 'invalid_client' : undefined
}

/**
 * Checks discovery, keys, and the client. The client is checked by redeeming an invented code, which a provider refuses
 * only after it has accepted the client and its secret.
 */
export function createOidcSetup(
  discover: () => Promise<DiscoveredIssuer>,
  describe: (error: unknown) => string,
): ProviderSetup {
  async function checkDiscovery(): Promise<SetupFinding> {
    try {
      const { client, keys } = await discover()
      const { issuer, authorization_endpoint, token_endpoint } = client.serverMetadata()
      if (authorization_endpoint === undefined || token_endpoint === undefined) {
        return fault(`${issuer} names no address for logins.`, discoveryTodo)
      }
      await keys.reload()
      const count = keys.jwks()?.keys.length ?? 0
      if (count === 0) return fault(`${issuer} publishes no keys.`, discoveryTodo)
      return ok(`${issuer} publishes its addresses and ${count} ${count === 1 ? 'key' : 'keys'}.`)
    } catch (error) {
      return fault(`${describe(error)}.`, discoveryTodo)
    }
  }

  async function checkClient({ publicUrl }: Installation): Promise<SetupFinding> {
    const redirectUri = `${publicUrl}/auth/callback`
    const client = await discover().then(
      (found) => found.client,
      () => undefined,
    )
    if (!client) return notChecked('Nothing is known of the provider.', discoveryTodo)
    try {
      await oidc.genericGrantRequest(client, 'authorization_code', {
        code: 'tern-doctor',
        redirect_uri: redirectUri,
        code_verifier: oidc.randomPKCECodeVerifier(),
      })
      return warning('The provider accepted an invented code.', 'Do not use this provider: it accepts any login.')
    } catch (error) {
      return judgeRefusal(error, redirectUri)
    }
  }

  function judgeRefusal(error: unknown, redirectUri: string): SetupFinding {
    const code = readErrorCode(error)
    if (code === codeRefused) return ok('The provider accepts the client and its secret.')
    if (code !== undefined && clientRefused.has(code)) {
      const todo = `Correct client id and secret, and register ${redirectUri} as redirect URI.`
      return fault(`The provider refuses the client (${code}).`, todo)
    }
    return notChecked(`${describe(error)}.`, `Log in once with it, with ${redirectUri} registered as redirect URI.`)
  }

  return {
    topics: [
      { name: 'discovery', tried: "Reads the provider's metadata and keys." },
      { name: 'client', tried: 'Redeems an invented code with our client id and secret.' },
    ],
    check: async (topic, installation) => [
      topic === 'discovery' ? await checkDiscovery() : await checkClient(installation),
    ],
  }
}
