// A user's project: a folder with packages, files, commands and servers.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { send } from '../../../xtask/run/command.mjs';
import { installed, installedLab, labTarball } from '../../package/lib/consumer.mjs';
import { packaged } from '../lib/packages.mjs';
import { suiteText } from './suite.mjs';

/** Longer than any tool needs on a busy machine. */
const LIMIT_MS = 8 * 60_000;

/** @param {string} command @param {number | string} end its code or signal @param {string} printed */
const failed = (command, end, printed) => new Error(`${command}: ended with ${end}\n${printed.slice(-20_000)}`);

export class Folder {
  #running = new Set();
  #closers = [];

  /**
   * @param {{ dir: string, origin: string, closed: string, node: (major: number) => Promise<string>,
   *   tarball?: string, built?: string }} options without a tarball, it has the packages of the tests, and the one that
   *   they installed or that is `built` in a folder
   */
  constructor({ dir, ...options }) {
    Object.assign(this, { dir, ...options });
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true });
  }

  path(...parts) {
    return join(this.dir, ...parts);
  }

  write(files) {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), text);
    }
  }

  has(name) {
    return existsSync(this.path(name));
  }

  read(name, encoding = 'utf8') {
    return readFileSync(this.path(name), encoding);
  }

  suite(options = {}) {
    return suiteText({ origin: this.origin, closed: this.closed, ...options });
  }

  /** Installs, or links what is installed. */
  async install(packages, line = 'npm install --no-audit --no-fund', env) {
    if (!this.tarball) {
      this.write({ 'package.json': '{ "private": true }' });
      const links = Object.keys(packages).map((name) => [name, packaged(name)]);
      const ours = { rejitter: this.built ?? installed, 'rejitter-lab': installedLab };
      for (const [name, path] of [...Object.entries(ours), ...links]) {
        mkdirSync(dirname(this.path('node_modules', name)), { recursive: true });
        symlinkSync(path, this.path('node_modules', name));
      }
      return;
    }
    const ours = { rejitter: `file:${this.tarball}`, 'rejitter-lab': `file:${labTarball}` };
    const dependencies = { ...ours, ...packages };
    const user = { name: 'user', private: true, version: '0.0.0', dependencies };
    this.write({ 'package.json': JSON.stringify(user, null, 2) });
    await this.exec(line, env);
  }

  /** Runs a command to its end and returns what it printed. Rejects when it fails. */
  async exec(line, env) {
    const { printed, ended } = await this.#start(line, env);
    const code = await ended;
    if (code !== 0) throw failed(line, code, printed());
    return printed();
  }

  /** Starts a server and resolves with its address when it has printed `ready`, whose group the address is. */
  async serve(line, ready, env) {
    const { child, printed, ended } = await this.#start(line, env);
    return new Promise((done, reject) => {
      const look = () => {
        const match = ready.exec(printed());
        if (match) done(match[1]);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      ended.then((code) => reject(failed(line, code, printed())), reject);
    });
  }

  /** Something to be closed with the folder. */
  closing(close) {
    this.#closers.push(close);
  }

  /** The program of a line is one of the project's, a Node such as `node@20`, or on PATH. */
  async #start(line, env) {
    const [name, ...args] = line.split(' ');
    const own = this.tarball ? this.path('node_modules/.bin', name) : packaged(`.bin/${name}`);
    const [, major] = /^node@(\d+)$/.exec(name) ?? [];
    let text = '';
    const child = spawn(major ? await this.node(Number(major)) : existsSync(own) ? own : name, args, {
      cwd: this.dir,
      env: { ...process.env, CI: '1', NO_COLOR: '1', FORCE_COLOR: undefined, NODE_OPTIONS: undefined, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group, so that what a tool leaves running ends with it.
      detached: true,
    });
    this.#running.add(child);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
    const limit = setTimeout(() => send(child, 'SIGKILL'), LIMIT_MS);
    const ended = new Promise((done, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        clearTimeout(limit);
        this.#running.delete(child);
        done(code ?? signal);
      });
    });
    ended.catch(() => {});
    return { child, ended, printed: () => text };
  }

  /** Ends what still runs. */
  async stop() {
    for (const child of this.#running) send(child, 'SIGKILL');
    for (const close of this.#closers.splice(0)) await close();
  }

  remove() {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
