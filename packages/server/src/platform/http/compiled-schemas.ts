import * as provider from 'fastify-type-provider-zod'
import { $ZodArray, $ZodNullable, $ZodObject, $ZodObjectJIT, $ZodOptional, $ZodType } from 'zod/v4/core'

// Contracts are written with zod/mini, which browsers load and whose objects are checked key by key. Here the same objects are
// checked by compiled functions, in half the time.

const compiled = new WeakMap<$ZodType, $ZodType>()

/** An equal schema whose objects are compiled on first use; schemas of other kinds stay as they are. */
export function compile(schema: $ZodType): $ZodType {
  const known = compiled.get(schema)
  if (known) return known
  const made = compileOnce(schema)
  compiled.set(schema, made)
  return made
}

function compileOnce(schema: $ZodType): $ZodType {
  if (schema instanceof $ZodObject) {
    const { def } = schema._zod
    const shape = Object.fromEntries(Object.entries(def.shape).map(([name, member]) => [name, compile(member)]))
    return new $ZodObjectJIT({ ...def, shape })
  }
  if (schema instanceof $ZodNullable)
    return new $ZodNullable({ ...schema._zod.def, innerType: compile(innerOf(schema)) })
  if (schema instanceof $ZodOptional)
    return new $ZodOptional({ ...schema._zod.def, innerType: compile(innerOf(schema)) })
  if (schema instanceof $ZodArray)
    return new $ZodArray({ ...schema._zod.def, element: compile(schema._zod.def.element) })
  return schema
}

const innerOf = (schema: $ZodNullable | $ZodOptional): $ZodType => schema._zod.def.innerType

/** Compiles what validates requests. */
export const validatorCompiler: typeof provider.validatorCompiler = (route) =>
  provider.validatorCompiler({ ...route, schema: compile(route.schema) })

/** Compiles what checks and writes replies. */
export const serializerCompiler: typeof provider.serializerCompiler = (route) =>
  provider.serializerCompiler({
    ...route,
    schema: route.schema instanceof $ZodType ? compile(route.schema) : route.schema,
  })
