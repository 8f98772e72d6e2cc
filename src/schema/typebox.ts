/** Schemas of user input, and their validation. The build bundles this module: the library has hundreds of files, which load slowly. */
export { IsRefine, type Static, type TObject, type TSchema, Type } from 'typebox'
export { Check, Compile } from 'typebox/schema'
