import { allEndpoints } from '@tern/contract/endpoints'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import { buildStrictBody } from '@tern/contract/protocol/strict-body'
import { buildExample } from '@tern/contract/reference/examples'
import { buildReferenceSchemas, findReplyName, buildRequestName } from '@tern/contract/reference/schemas'
import { expect, test } from 'vitest'
import { type $ZodType, safeEncode, safeParse } from 'zod/v4/core'
import { compile } from './compiled-schemas.ts'

const examples = buildReferenceSchemas()
const buildNamedExample = (name: string): unknown => (examples[name] ? buildExample(examples[name], examples) : {})

/** Replacements for a member, most of which are invalid. */
const replacementValues: readonly unknown[] = [
  undefined,
  null,
  '',
  'USD',
  '-1.00',
  -1,
  0.5,
  1_234_567_890,
  true,
  [],
  [{}],
  {},
  new Date(0),
]

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Yields the value with each member removed or replaced at any depth, or with an additional one. */
function* generateVariants(value: unknown): Generator {
  yield value
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) {
      for (const variant of generateVariants(member)) yield value.with(index, variant)
    }
  }
  if (!isRecord(value)) return
  yield { ...value, surplus: 1 }
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _omitted, ...rest } = value
    yield rest
    for (const replacementValue of replacementValues) yield { ...value, [name]: replacementValue }
    for (const variant of generateVariants(member)) yield { ...value, [name]: variant }
  }
}

/** Returns the result of a check as callers see it. */
const describeResult = ({ data, error }: ReturnType<typeof safeParse>) =>
  JSON.stringify({ data, issues: error?.issues })

type Check = (schema: $ZodType, value: unknown) => ReturnType<typeof safeParse>

function expectEqual(schema: $ZodType, check: Check, example: unknown): number {
  const compiledSchema = compile(schema)
  let count = 0
  for (const value of [...replacementValues, ...generateVariants(example)]) {
    expect(describeResult(check(compiledSchema, value))).toBe(describeResult(check(schema, value)))
    count += 1
  }
  return count
}

test.each(Object.entries(allEndpoints as Readonly<Record<string, Endpoint>>))(
  '%s accepts, refuses and answers the same by compiled schemas',
  (name, endpoint) => {
    const body = buildStrictBody(endpoint)
    if (body)
      expect(expectEqual(body, safeParse, buildNamedExample(buildRequestName(name)))).toBeGreaterThan(
        replacementValues.length,
      )
    if (endpoint.status !== 204 && !endpoint.file && !endpoint.stream) {
      expectEqual(endpoint.reply, safeEncode, buildNamedExample(findReplyName(name, endpoint)))
    }
    for (const part of [endpoint.params, endpoint.query]) if (part) expectEqual(part, safeParse, {})
  },
)
