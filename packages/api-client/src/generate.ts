import openapiTS, { astToString } from 'openapi-typescript'

/** Returns an API's types as TypeScript source, generated from the text of its OpenAPI document. */
export async function generateTypes(document: string): Promise<string> {
  return astToString(await openapiTS(document))
}
