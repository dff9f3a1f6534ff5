const longestWaitMs = 10_000

/** Reply of Adyen to a check of our set-up. */
export type AdyenLook =
  | { readonly status: 'answered'; readonly httpStatus: number; readonly body: unknown }
  | { readonly status: 'unknown'; readonly reason: string }

/** Asks Adyen; the body of an order is empty, so that Adyen refuses it as invalid. */
export async function lookAtAdyen(apiKey: string, url: string, method: 'GET' | 'POST' = 'GET'): Promise<AdyenLook> {
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/json', 'x-api-key': apiKey },
      body: method === 'POST' ? '{}' : null,
      redirect: 'error',
      signal: AbortSignal.timeout(longestWaitMs),
    })
    const text = await response.text()
    return { status: 'answered', httpStatus: response.status, body: text === '' ? {} : JSON.parse(text) }
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'its answer is not JSON' : 'no answer'
    return { status: 'unknown', reason: `Adyen cannot be checked: ${reason}.` }
  }
}

export const isForbidden = (httpStatus: number): boolean => httpStatus === 401 || httpStatus === 403
export const isDone = (httpStatus: number): boolean => httpStatus >= 200 && httpStatus < 300
