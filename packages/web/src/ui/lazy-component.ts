import { type ComponentType, lazy } from 'react'

/** Component of this name, from a module that loads when it is first shown. */
export const lazyComponent = <Name extends string, Module extends { readonly [name in Name]: ComponentType<never> }>(
  load: () => Promise<Module>,
  name: Name,
) => lazy(async () => ({ default: (await load())[name] as Module[Name] & ComponentType<object> }))
