import { type ComponentType, lazy } from 'react'

/** The component of this name, out of a module that is fetched when it is shown for the first time. */
export const lazyComponent = <Name extends string, Module extends { readonly [name in Name]: ComponentType<never> }>(
  load: () => Promise<Module>,
  name: Name,
) => lazy(async () => ({ default: (await load())[name] as Module[Name] & ComponentType<object> }))
