import { type ComponentType, lazy } from 'react'

/** Lazy component: the export of this name, from a module that is loaded on the first render. */
export const lazyComponent = <Name extends string, Module extends { readonly [name in Name]: ComponentType<never> }>(
  load: () => Promise<Module>,
  name: Name,
) => lazy(async () => ({ default: (await load())[name] as Module[Name] & ComponentType<object> }))
