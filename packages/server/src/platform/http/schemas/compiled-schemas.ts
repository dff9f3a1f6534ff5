import * as provider from 'fastify-type-provider-zod'
import { $ZodArray, $ZodNullable, $ZodObjectJIT, $ZodOptional, type $ZodType } from 'zod/v4/core'
import * as z from 'zod/mini'

// Contracts use zod/mini, which browsers load and which checks objects key by key. The server compiles the same objects
// to functions, so that a check takes half the time.

const compiled = new WeakMap<$ZodType, $ZodType>()

/** Returns an equal schema whose objects are compiled on first use; other schemas stay unchanged. */
export function compile(schema: $ZodType): $ZodType {
  const cachedSchema = compiled.get(schema)
  if (cachedSchema) return cachedSchema
  const newSchema = compileOnce(schema)
  compiled.set(schema, newSchema)
  return newSchema
}

function compileOnce(schema: $ZodType): $ZodType {
  if (schema instanceof z.ZodMiniObject) {
    const shape = Object.fromEntries(Object.entries(schema.def.shape).map(([name, member]) => [name, compile(member)]))
    return new $ZodObjectJIT({ ...schema.def, shape })
  }
  if (schema instanceof z.ZodMiniNullable) {
    return new $ZodNullable({ ...schema.def, innerType: compile(schema.def.innerType) })
  }
  if (schema instanceof z.ZodMiniOptional) {
    return new $ZodOptional({ ...schema.def, innerType: compile(schema.def.innerType) })
  }
  if (schema instanceof z.ZodMiniArray) {
    return new $ZodArray({ ...schema.def, element: compile(schema.def.element) })
  }
  return schema
}

export const validatorCompiler: typeof provider.validatorCompiler = (route) =>
  provider.validatorCompiler({ ...route, schema: compile(route.schema) })

export const serializerCompiler: typeof provider.serializerCompiler = (route) =>
  provider.serializerCompiler({
    ...route,
    schema: 'properties' in route.schema ? route.schema : compile(route.schema),
  })
