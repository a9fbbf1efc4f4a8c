#!/usr/bin/env node
// The command in this repository: package managers link this file before the bundle exists.
import "../dist/bundle/cfile.js";
