import openapiTS, { astToString } from 'openapi-typescript'

/** The types of an API as TypeScript source, made from the text of its OpenAPI document. */
export async function generateTypes(document: string): Promise<string> {
  return astToString(await openapiTS(document))
}
