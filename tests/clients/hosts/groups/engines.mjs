// The engines of workers and of the edge by themselves: how a suite is built for each, and what it finds there.

import { EdgeVM } from '@edge-runtime/vm';

export const WORKER =
  "import { suite } from './suite.mjs';\nexport default { fetch: async () => Response.json(await suite()) };\n";
export const FOR_WORKERS =
  'esbuild worker.mjs --bundle --format=esm --conditions=workerd --loader:.wasm=copy --asset-names=[name]';
export const LAB = '(name = "lab.wasm", wasm = embed "out/lab.wasm")';

/** A worker of `out`, without bindings, and with these modules. */
const CONFIG = (date, modules) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (
    allow = ["private", "public", "local"], tlsOptions = (trustBrowserCas = true)))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [${['(name = "worker.js", esModule = embed "out/worker.js")', ...modules].join(', ')}],
  compatibilityDate = "${date}",
);
`;

/** @param {string} date of its flags @param {string[]} modules beside the worker */
export const workerd = (date, ...modules) => ({
  files: { 'worker.mjs': WORKER, 'config.capnp': CONFIG(date, modules) },
  build: `${FOR_WORKERS} --outfile=out/worker.js`,
  async results(folder) {
    const port = await folder.serve('workerd serve config.capnp --control-fd=1', /"event":"listen".*"port":(\d+)/);
    return (await fetch(`http://127.0.0.1:${port}/`)).json();
  },
});

/** @param {(folder: any) => object} [optionsOf] of the context */
export const edge = (optionsOf) => ({
  files: { 'main.mjs': "export { suite } from './suite.mjs';\n" },
  build:
    'esbuild main.mjs --bundle --format=iife --global-name=bundle --conditions=edge-light ' +
    '--external:*.wasm?module --outfile=out/edge.js',
  async results(folder) {
    const { context } = new EdgeVM({ ...optionsOf?.(folder), initialCode: folder.read('out/edge.js') });
    return JSON.parse(JSON.stringify(await context.bundle.suite()));
  },
});
